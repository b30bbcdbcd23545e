import { lifecycleSuite } from "./lifecycleSuite";
import { programOf } from "./programs";

const named = (representation: string, more = "") =>
  `{ ...base, name: "A scope", representation: "${representation}", ${more} }`;

lifecycleSuite({
  kind: "Scope",
  program: programOf("Scope"),
  calls: { create: ["POST"], shared: "listScopes", update: [], delete: [] },
  respelled: {
    "an empty description given as such": {
      before: named("spelled"),
      after: named("spelled", `description: ""`),
    },
  },
  replacing: {
    representation: {
      before: named("orders", `description: "All orders"`),
      after: named("carts", `description: "All orders"`),
    },
    workspaceId: { before: named("moving"), after: named("moving", `workspaceId: "ws_second"`) },
  },
  deletesFirst: [
    {
      before: `${named("first")}, { deleteBeforeReplace: true }`,
      after: `${named("second")}, { deleteBeforeReplace: true }`,
    },
  ],
  fixed: [
    {
      drift: (service, id) => service.editScope(id, { name: "Another", description: "Changed elsewhere" }),
      warns: "unlike the program, the service has name",
    },
  ],
});
