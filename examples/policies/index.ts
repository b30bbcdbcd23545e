import { PolicyPack, type ResourceValidation, type ResourceValidationArgs } from "@pulumi/policy";
import { CustomerBilling } from "pulumi-apikeys";
import { declaredKeys, type PolicyKey } from "pulumi-apikeys/policy";

// The prefix of the keys of each stack. A stack that is not listed may use any.
const prefixes: Readonly<Record<string, string>> = { prod: "live", staging: "test" };
const mostScopes = 5;

// A URN begins with urn:pulumi:<stack>::<project>.
const stackOf = ({ urn }: ResourceValidationArgs) => urn.split("::")[0]?.split(":").at(-1) ?? "";

/** Checks each key that a resource declares: an ApiKey, a RotatingApiKey, or every key of an ApiKeySet. */
const eachKey =
  (violation: (key: PolicyKey, stack: string) => string | undefined): ResourceValidation =>
  (args, reportViolation) => {
    for (const key of declaredKeys(args)) {
      const message = violation(key, stackOf(args));
      if (message !== undefined) reportViolation(`key "${key.label}" ${message}`);
    }
  };

new PolicyPack("api-keys", {
  policies: [
    {
      name: "keys-expire",
      description: "Every new key expires or is rotated.",
      enforcementLevel: "mandatory",
      validateResource: eachKey(({ isExisting, expiresAt, rotateEvery }) =>
        isExisting || expiresAt !== undefined || rotateEvery !== undefined ? undefined : "has no expiresAt",
      ),
    },
    {
      name: "no-deleting-in-production",
      description: "No key in production may delete.",
      enforcementLevel: "mandatory",
      validateResource: eachKey(({ scopes }, stack) => {
        const deleting = scopes.filter(({ del }) => stack === "prod" && del);
        if (deleting.length === 0) return undefined;
        return `may delete ${deleting.map(({ representation }) => representation).join(", ")}`;
      }),
    },
    {
      name: "billing-protected",
      description: "Credits are protected, because a grant that is removed and declared again grants again.",
      enforcementLevel: "mandatory",
      validateResource: (args, reportViolation) => {
        if (args.isType(CustomerBilling) && !args.opts.protect) {
          reportViolation("is not protected: set the resource option protect");
        }
      },
    },
    {
      name: "prefix-of-environment",
      description: "The prefix of a new key says which environment it is for.",
      enforcementLevel: "mandatory",
      validateResource: eachKey(({ isExisting, prefix }, stack) => {
        const wanted = prefixes[stack];
        if (isExisting || wanted === undefined || prefix === wanted) return undefined;
        return `must have the prefix "${wanted}"`;
      }),
    },
    {
      name: "few-scopes",
      description: `A key has at most ${mostScopes} scopes.`,
      enforcementLevel: "advisory",
      validateResource: eachKey(({ scopes }) =>
        scopes.length > mostScopes ? `has ${scopes.length} scopes` : undefined,
      ),
    },
    {
      name: "existing-once",
      description: "A key that has been rotated since is declared as a new one.",
      enforcementLevel: "advisory",
      validateResource: eachKey(({ isExisting, rotateEvery }) =>
        isExisting && rotateEvery !== undefined
          ? "may be a new one by now: if so, leave out existingId and existingKey"
          : undefined,
      ),
    },
  ],
});
