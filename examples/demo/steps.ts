import { isDeepStrictEqual } from "node:util";
import { actions, type Claim, changes, claim, counted, declaredFormOf } from "./claims";
import { editProgram, type Stage } from "./stage";
import { outputsHoldTheSecret, resources, said } from "./unseen";

export interface DemoStep {
  readonly title: string;
  /** One line: what happens, and why it matters. */
  readonly explanation: string;
  /** What the summary says of it. */
  readonly shows: string;
  /** Does it, and returns what must hold afterwards. The request log is empty when it begins. */
  play(stage: Stage): Promise<readonly Claim[]>;
}

/** "shop" as examples/quickstart/index.ts declares it. */
const declaredShop = {
  name: "shop",
  enabled: true,
  scopes: "customers (read), orders (create, read, update)",
};
/** What somebody else makes of it. */
const driftedShop = {
  name: "shop-old",
  enabled: false,
  scopes: "customers (read), orders (create, read, update), refunds (create)",
};

const preview: DemoStep = {
  title: "What would happen?",
  explanation: "A preview shows the keys that the program declares. It does not even ask the service.",
  shows: "2 keys to create",
  async play(stage) {
    const outcome = await stage.command("pulumi preview --diff", (given) =>
      stage.stack.preview({ ...given, diff: true }),
    );
    return [
      claim("2 keys are to be created", ["create partner", "create shop"], actions(outcome)),
      claim("the service was not asked", {}, counted(stage.service.requests)),
    ];
  },
};

const create: DemoStep = {
  title: "Create",
  explanation: "Up creates both. The service shows a key's secret once; state keeps it, encrypted.",
  shows: "2 keys created, secrets kept",
  async play(stage) {
    const outcome = await stage.command("pulumi up", (given) => stage.stack.up(given));
    const state = JSON.stringify(await stage.stack.exportState());
    return [
      claim("2 keys were created", ["create partner", "create shop"], actions(outcome)),
      claim("each took one POST, both one list", { GET: 1, POST: 2 }, counted(stage.service.requests)),
      claim('the service has "shop" as declared', declaredShop, declaredFormOf(stage.key("shop"))),
      await outputsHoldTheSecret(stage),
      claim("state shows no secret in plain text", 0, said(stage.secrets, state)),
    ];
  },
};

const nothing: DemoStep = {
  title: "Nothing left to do",
  explanation: "The preview after an up is empty, and another up sends no request at all.",
  shows: "no change, no request",
  async play(stage) {
    const planned = await stage.command("pulumi preview --expect-no-changes", (given) =>
      stage.stack.preview({ ...given, expectNoChanges: true }),
    );
    const done = await stage.command("pulumi up", (given) => stage.stack.up(given));
    return [
      claim("the preview is empty", [], actions(planned)),
      claim("the up changes nothing", [], actions(done)),
      claim("the service was not asked", {}, counted(stage.service.requests)),
    ];
  },
};

const drift: DemoStep = {
  title: "Somebody else changes a key",
  explanation:
    '"shop" is renamed, disabled, and allowed to create refunds, behind Pulumi\'s back. Refresh shows it.',
  shows: "name, enabled, scopes: now => declared",
  async play(stage) {
    const shop = stage.key("shop");
    const { scopes, ...rest } = driftedShop;
    stage.service.editKey(shop?.id ?? "", {
      ...rest,
      scopes: [...(shop?.scopes ?? []), { representation: "refunds", create: true }],
    });
    const outcome = await stage.command("pulumi preview --refresh --diff", (given) =>
      stage.stack.previewRefresh({ ...given, diff: true }),
    );
    const steps = outcome.steps.filter(({ name }) => name === "shop");
    return [
      claim(
        "the refresh shows all three changes",
        shown(declaredShop, driftedShop),
        changes(steps.find(({ duringRefresh }) => duringRefresh)),
      ),
      claim("the plan is to undo them, in place", ["update shop"], actions(outcome)),
      claim(
        "the plan names each value",
        shown(driftedShop, declaredShop),
        changes(steps.find(({ duringRefresh }) => !duringRefresh)),
      ),
      claim("the service was only read", ["GET"], Object.keys(counted(stage.service.requests))),
      claim(
        "the service holds what it held",
        { ...rest, scopes },
        declaredFormOf(stage.key(driftedShop.name)),
      ),
    ];
  },
};

const heal: DemoStep = {
  title: "Heal it",
  explanation: "Up with --refresh brings the key back to what the program declares. Id and secret stay.",
  shows: '"shop" as declared again',
  async play(stage) {
    const before = stage.key(driftedShop.name);
    const outcome = await stage.command("pulumi up --refresh", (given) =>
      stage.stack.up({ ...given, refresh: true }),
    );
    const after = stage.key("shop");
    return [
      claim("1 key was updated", ["update shop"], actions(outcome)),
      claim("the service has it as declared", declaredShop, declaredFormOf(after)),
      claim("it took one PATCH", 1, counted(stage.service.requests)["PATCH"]),
      claim(
        "it is the same key",
        true,
        after !== undefined && after.id === before?.id && after.key === before.key,
      ),
    ];
  },
};

const recreate: DemoStep = {
  title: "Somebody else deletes a key",
  explanation: 'Without "shop", refresh first makes sure that it is really gone; then up makes a new one.',
  shows: '"shop" created again',
  async play(stage) {
    const before = stage.key("shop");
    stage.service.deleteKey(before?.id ?? "");
    const outcome = await stage.command("pulumi up --refresh", (given) =>
      stage.stack.up({ ...given, refresh: true }),
    );
    const after = stage.key("shop");
    return [
      claim("1 key was created, the other left alone", ["create shop"], actions(outcome)),
      claim("the service has it as declared", declaredShop, declaredFormOf(after)),
      claim("it took one POST", 1, counted(stage.service.requests)["POST"]),
      claim("it is another key", true, after !== undefined && after.id !== before?.id),
      await outputsHoldTheSecret(stage),
    ];
  },
};

const replace: DemoStep = {
  title: "Change what can't be changed",
  explanation:
    "A prefix is part of the secret, so another one means another key: created before the old one goes.",
  shows: '"partner" replaced, old key deleted last',
  async play(stage) {
    const before = stage.key("partner");
    await editProgram(stage, 'prefix: "partner"', 'prefix: "reseller"');
    const planned = await stage.command("pulumi preview --diff", (given) =>
      stage.stack.preview({ ...given, diff: true }),
    );
    const step = planned.steps.find(({ op }) => op === "replace");
    const done = await stage.command("pulumi up", (given) => stage.stack.up(given));
    const after = stage.key("partner");
    const replacing = ["create-replacement partner", "delete-replaced partner", "replace partner"];
    return [
      claim("the preview says replace", replacing, actions(planned)),
      claim("the prefix is the reason", ["prefix"], step?.diffs),
      claim("the up did it", replacing, actions(done)),
      claim(
        "the new key came before the old one went",
        ["POST", "DELETE"],
        stage.service.requests.map(({ method }) => method).filter((method) => method !== "GET"),
      ),
      claim("the new key has the prefix", "reseller", after?.prefix),
      claim(
        "the old key is gone",
        false,
        stage.service.keys({ deleted: false }).some(({ id }) => id === before?.id),
      ),
    ];
  },
};

const outage: DemoStep = {
  title: "The service is down",
  explanation: "A service that does not answer is no reason to forget its keys: refresh fails, state stays.",
  shows: "an error, state unchanged",
  async play(stage) {
    const before = await resources(stage);
    await stage.service.stop();
    const failing = await stage
      .command("pulumi refresh", (given) => stage.stack.refresh(given))
      .finally(stage.service.start);
    const after = await resources(stage);
    stage.printer.line();
    stage.printer.line("  The service is back.");
    const quiet = await stage.command("pulumi preview --refresh --expect-no-changes", (given) =>
      stage.stack.previewRefresh({ ...given, expectNoChanges: true }),
    );
    return [
      claim("the refresh fails", false, failing.ok),
      claim("the error says that state is unchanged", true, /State is unchanged/.test(failing.error ?? "")),
      claim("state holds what it held", true, isDeepStrictEqual(after, before)),
      claim("once the service is back there is nothing to do", [], actions(quiet)),
    ];
  },
};

const destroy: DemoStep = {
  title: "Destroy",
  explanation: "Destroy deletes the keys in the service, and then forgets them.",
  shows: "nothing left",
  async play(stage) {
    const outcome = await stage.command("pulumi destroy", (given) => stage.stack.destroy(given));
    return [
      claim("both keys were deleted", ["delete partner", "delete shop"], actions(outcome)),
      claim("each took one request", { DELETE: 2 }, counted(stage.service.requests)),
      claim("the service has no key left", 0, stage.service.keys({ deleted: false }).length),
      claim("state is empty", 0, (await resources(stage)).length),
    ];
  },
};

/** The story, in order. The last step is the one that clears up, whatever came before it. */
export const steps: readonly DemoStep[] = [
  preview,
  create,
  nothing,
  drift,
  heal,
  recreate,
  replace,
  outage,
  destroy,
];

type DeclaredForm = Readonly<Record<string, unknown>>;

function shown(old: DeclaredForm, now: DeclaredForm): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(old).map((name) => [name, `${old[name]} => ${now[name]}`]));
}
