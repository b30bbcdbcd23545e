import type { Variant } from "../../standin";
import { someOf } from "../all";
import type { LifecycleCase } from "./lifecycleCase";
import { programWithKeys } from "./programs";

const scopes = (text: string) => `{ ...base, scopes: [${text}] }`;
const replaced = (field: string, before: string, after: string) => ({
  before: `{ ...base, ${field}: ${before} }`,
  after: `{ ...base, ${field}: ${after} }`,
});

export const apiKeyLife: LifecycleCase = {
  kind: "ApiKey",
  program: programWithKeys,
  computed: ["billingId", "effectiveExpiresAt", "effectivePrefix", "updatedAt"],
  managed: [
    {
      field: "name",
      before: `{ ...base, name: "old name" }`,
      after: `{ ...base, name: "new name" }`,
      values: ["old name", "new name"],
      drift: (service, id) => service.editKey(id, { name: "renamed elsewhere" }),
      drifted: "renamed elsewhere",
    },
    {
      field: "enabled",
      before: "base",
      after: "{ ...base, enabled: false }",
      values: [true, false],
      confirmedBy: ["GET"],
      drift: (service, id) => service.editKey(id, { enabled: true }),
      drifted: true,
    },
    {
      field: "scopes",
      before: scopes(`{ representation: "orders", read: true, update: true }`),
      after: scopes(`{ representation: "orders", read: true }, { representation: "carts", del: true }`),
      values: [
        [{ representation: "orders", read: true, update: true }],
        [
          { representation: "carts", del: true },
          { representation: "orders", read: true },
        ],
      ],
      confirmedBy: ["GET"],
      paths: ["scopes[0].del", "scopes[0].read", "scopes[0].representation", "scopes[0].update", "scopes[1]"],
      drift: (service, id) =>
        service.editKey(id, { scopes: [{ representation: "orders", create: true, read: true }] }),
      drifted: [{ representation: "orders", create: true, read: true }],
    },
  ],
  respelled: {
    "K3 scopes in another order": {
      before: scopes(`{ representation: "a", read: true }, { representation: "b", del: true }`),
      after: scopes(`{ representation: "b", del: true }, { representation: "a", read: true }`),
    },
    "K3 flags that are false, and entries without a permission": {
      before: scopes(`{ representation: "a", read: true }`),
      after: scopes(
        `{ representation: "a", create: false, read: true, update: undefined }, { representation: "b", del: false }`,
      ),
    },
    "defaults and empty values given as such": {
      before: "base",
      after: `{ ...base, name: "spelled2", enabled: true, scopes: [], prefix: "", metadata: {}, keepers: {} }`,
    },
  },
  replacing: {
    workspaceId: replaced("workspaceId", `"ws_main"`, `"ws_second"`),
    customerId: replaced("customerId", `"customer-1"`, `"customer-2"`),
    prefix: replaced("prefix", `"old"`, `"new"`),
    expiresAt: replaced("expiresAt", "1924991999", "1956527999"),
    externalMeterId: replaced("externalMeterId", `"meter-1"`, `"meter-2"`),
    metadata: replaced("metadata", `{ team: "red" }`, `{ team: "blue" }`),
    existingKey: replaced("existingKey", `"sk_held_value_1"`, `"sk_held_value_2"`),
    keepers: replaced("keepers", `{ month: "may" }`, `{ month: "june" }`),
  },
  deletesFirst: [
    {
      before: `{ ...base, prefix: "old" }, { deleteBeforeReplace: true }`,
      after: `{ ...base, prefix: "new" }, { deleteBeforeReplace: true }`,
    },
  ],
  calls: { shared: "listApiKeys", create: ["POST"], update: ["GET", "PATCH"], delete: ["DELETE"] },
  fixed: [
    { drift: (service, id) => service.editKey(id, { customerId: "customer-elsewhere", expiresAt: 1 }) },
  ],
  deletion: {
    ways: someOf<Partial<Variant>>(
      [
        { delete: "removes" },
        { delete: "marks" },
        { delete: "marksAndLists" },
        { delete: "marksAndOnlyLists", readDeleted: 410 },
      ],
      (variant) => variant.delete === "removes",
    ),
    resource: { before: "base", after: "{ ...base, enabled: false }" },
    by: (service, id) => service.deleteKey(id),
  },
  secretOf: (service, id) => service.key(id)?.key,
  hidden: [
    {
      declaration: `{
        workspaceId: "ws_main",
        customerId: pulumi.secret("customer-in-the-dark"),
        metadata: pulumi.secret({ note: "note-in-the-dark" }),
        existingKey: "sk_value_in_the_dark",
      }`,
      texts: ["customer-in-the-dark", "note-in-the-dark", "sk_value_in_the_dark"],
      drift: (service, id) => service.editKey(id, { enabled: false }),
    },
  ],
  leftOver: (service) => service.keys({ deleted: false }),
};
