import { isDeepStrictEqual } from "node:util";
import { actions, type Claim, changes, claim, counted, declaredFormOf } from "./claims";
import { editProgram, type Stage } from "./stage";
import { outputsHoldTheSecret, resources, said } from "./unseen";

export interface DemoStep {
  readonly title: string;
  /** One line: what happens, and why it matters. */
  readonly explanation: string;
  /** The result that the summary shows. */
  readonly shows: string;
  /** Runs the step, and returns what it must have shown. The request log is empty at the start. */
  play(stage: Stage): Promise<readonly Claim[]>;
}

/** "shop" as examples/quickstart/index.ts declares it. */
const declaredShop = {
  name: "shop",
  enabled: true,
  scopes: "customers (read), orders (create, read, update)",
};
/** "shop" after it was changed outside Pulumi. */
const driftedShop = {
  name: "shop-old",
  enabled: false,
  scopes: "customers (read), orders (create, read, update), refunds (create)",
};

const preview: DemoStep = {
  title: "Preview",
  explanation:
    "The preview shows the keys that the program declares. Its only request checks the access token.",
  shows: "2 keys to create",
  async play(stage) {
    const outcome = await stage.command("pulumi preview --diff", (given) =>
      stage.stack.preview({ ...given, diff: true }),
    );
    return [
      claim("2 keys would be created", ["create partner", "create shop"], actions(outcome)),
      claim("one GET checked the access token", { GET: 1 }, counted(stage.service.requests)),
    ];
  },
};

const create: DemoStep = {
  title: "Create",
  explanation:
    "The update creates both keys. The service shows a secret only once; state keeps it, encrypted.",
  shows: "2 keys created, secrets kept",
  async play(stage) {
    const outcome = await stage.command("pulumi up", (given) => stage.stack.up(given));
    const state = JSON.stringify(await stage.stack.exportState());
    return [
      claim("2 keys were created", ["create partner", "create shop"], actions(outcome)),
      claim(
        "each key took one POST, and both shared one list",
        { GET: 1, POST: 2 },
        counted(stage.service.requests),
      ),
      claim('"shop" in the service matches the program', declaredShop, declaredFormOf(stage.key("shop"))),
      await outputsHoldTheSecret(stage),
      claim("state contains no secret in plain text", 0, said(stage.secrets, state)),
    ];
  },
};

const nothing: DemoStep = {
  title: "No changes",
  explanation: "The next preview shows no changes, and another update sends no request at all.",
  shows: "no change, no request",
  async play(stage) {
    const planned = await stage.command("pulumi preview --expect-no-changes", (given) =>
      stage.stack.preview({ ...given, expectNoChanges: true }),
    );
    const done = await stage.command("pulumi up", (given) => stage.stack.up(given));
    return [
      claim("the preview shows no changes", [], actions(planned)),
      claim("the update changes nothing", [], actions(done)),
      claim("no request was sent", {}, counted(stage.service.requests)),
    ];
  },
};

const drift: DemoStep = {
  title: "A key is changed outside Pulumi",
  explanation:
    '"shop" is renamed, disabled, and allowed to create refunds, outside Pulumi. A refresh shows that.',
  shows: "drift in name, enabled and scopes shown",
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
      claim("the preview would revert them, in place", ["update shop"], actions(outcome)),
      claim(
        "the preview shows each value",
        shown(driftedShop, declaredShop),
        changes(steps.find(({ duringRefresh }) => !duringRefresh)),
      ),
      claim("the service was only read", ["GET"], Object.keys(counted(stage.service.requests))),
      claim(
        "the key in the service is unchanged",
        { ...rest, scopes },
        declaredFormOf(stage.key(driftedShop.name)),
      ),
    ];
  },
};

const heal: DemoStep = {
  title: "Revert the change",
  explanation:
    "An update with --refresh makes the key match the program again. Its id and secret stay the same.",
  shows: '"shop" matches the program again',
  async play(stage) {
    const before = stage.key(driftedShop.name);
    const outcome = await stage.command("pulumi up --refresh", (given) =>
      stage.stack.up({ ...given, refresh: true }),
    );
    const after = stage.key("shop");
    return [
      claim("1 key was updated", ["update shop"], actions(outcome)),
      claim("the key in the service matches the program", declaredShop, declaredFormOf(after)),
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
  title: "A key is deleted outside Pulumi",
  explanation: 'The refresh verifies that "shop" is really gone. Then the update creates a new key.',
  shows: '"shop" created again',
  async play(stage) {
    const before = stage.key("shop");
    stage.service.deleteKey(before?.id ?? "");
    const outcome = await stage.command("pulumi up --refresh", (given) =>
      stage.stack.up({ ...given, refresh: true }),
    );
    const after = stage.key("shop");
    return [
      claim("1 key was created, and the other left alone", ["create shop"], actions(outcome)),
      claim("the key in the service matches the program", declaredShop, declaredFormOf(after)),
      claim("it took one POST", 1, counted(stage.service.requests)["POST"]),
      claim("it is a new key", true, after !== undefined && after.id !== before?.id),
      await outputsHoldTheSecret(stage),
    ];
  },
};

const replace: DemoStep = {
  title: "Replace a key",
  explanation:
    "A prefix is part of the secret, so a new prefix needs a new key. It is created before the old key is deleted.",
  shows: '"partner" replaced, the old key deleted last',
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
      claim("the preview shows a replacement", replacing, actions(planned)),
      claim("the prefix is the cause", ["prefix"], step?.diffs),
      claim("the update replaced the key", replacing, actions(done)),
      claim(
        "the new key was created before the old one was deleted",
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
  explanation: "If the service does not answer, the refresh fails and state stays unchanged.",
  shows: "an error, state unchanged",
  async play(stage) {
    const before = await resources(stage);
    await stage.service.stop();
    const failing = await stage
      .command("pulumi refresh", (given) => stage.stack.refresh(given))
      .finally(() => stage.service.start());
    const after = await resources(stage);
    stage.printer.line();
    stage.printer.line("  The service is back.");
    const quiet = await stage.command("pulumi preview --refresh --expect-no-changes", (given) =>
      stage.stack.previewRefresh({ ...given, expectNoChanges: true }),
    );
    return [
      claim("the refresh fails", false, failing.ok),
      claim("the error says that state is unchanged", true, /State is unchanged/.test(failing.error ?? "")),
      claim("state is unchanged", true, isDeepStrictEqual(after, before)),
      claim("once the service is back, there is nothing to change", [], actions(quiet)),
    ];
  },
};

const destroy: DemoStep = {
  title: "Destroy",
  explanation: "Destroy deletes the keys in the service and removes them from state.",
  shows: "no keys left",
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

/** The steps, in order. The last step cleans up, also after a failed step. */
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
