import { lifecycleSuite } from "./lifecycleSuite";
import { programOf } from "./programs";

const granted = (more: string) => `{ ...base, totalCredits: "100", ${more} }`;

lifecycleSuite({
  kind: "CustomerBilling",
  program: programOf("CustomerBilling"),
  calls: { create: ["POST"], update: [], delete: [] },
  respelled: {
    "B1 numeric strings of the same value": {
      before: `{ ...base, totalCredits: "100", spendCap: "9.50" }`,
      after: `{ ...base, totalCredits: 100, spendCap: "+09.5000" }`,
    },
    "defaults and empty values given as such": {
      before: `{ ...base, totalCredits: "100.00" }`,
      after: granted(`allowOverages: false, grant: "initial", externalMeterId: ""`),
    },
  },
  replacing: { grant: { before: granted(`grant: "may"`), after: granted(`grant: "june"`) } },
  deletesFirst: [
    {
      before: `{ ...base, totalCredits: "7" }, { deleteBeforeReplace: true }`,
      after: `{ ...base, totalCredits: "7", grant: "again" }, { deleteBeforeReplace: true }`,
    },
  ],
});
