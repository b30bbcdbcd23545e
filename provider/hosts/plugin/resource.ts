/** The engine's calls for one resource, each put to its lifecycle. */
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { valuesAt } from "../../core/secrecy";
import { externalKey, type Kept, nameKey, type Properties, providerKey, serviceKey } from "../../core/state";
import { nameIn, oneLine, spelled } from "../../core/text";
import type { Lifecycle } from "../../lifecycle/operations";
import type { Difference } from "../../lifecycle/planning";
import { fromStruct, toStruct } from "./wire";

const { DiffResponse, PropertyDiff } = messages;
const { Kind } = PropertyDiff;

const kinds = {
  add: [Kind.ADD, Kind.ADD_REPLACE],
  update: [Kind.UPDATE, Kind.UPDATE_REPLACE],
  delete: [Kind.DELETE, Kind.DELETE_REPLACE],
} as const;

interface Stateful {
  setProperties(state: Struct): unknown;
  setRefreshBeforeUpdate(isReadFirst: boolean): unknown;
}

export function calls(resource: Lifecycle) {
  /** An object's own id, by the id that the user gave: `pulumi do --stateless` reads and updates by the latter. */
  const ownIds = new Map<string, string>();
  const ownId = (given: string) => ownIds.get(given) ?? given;
  /** Inputs of a program, with the paths of those that it made secret. The inputs that check gave list them. */
  const declared = (struct: Struct | undefined) => {
    const { properties, secrets } = fromStruct(struct);
    return resource.alsoSecret(properties, secrets);
  };
  /** Inputs or state as the engine keeps them: with the provider string, so that the stack can move. */
  const sent = (properties: Properties, given: Properties) =>
    toStruct({ ...properties, [providerKey]: given[providerKey] }, resource.secretPaths(properties));
  const withState = <Message extends Stateful>(message: Message, state: Properties, given: Properties) => {
    message.setProperties(sent(state, given));
    // Whether the engine is to read the resource before each preview and update. A Node.js program looks into state by
    // itself; while state has such a resource, the engine refuses a `--target` that is not in state yet.
    message.setRefreshBeforeUpdate(resource.readFirst && given[providerKey] === undefined);
    return message;
  };

  return {
    check: async (request: messages.CheckRequest) => {
      const { [nameKey]: _, ...inputs } = declared(request.getNews());
      const { properties: olds } = fromStruct(request.getOlds());
      const before = Object.keys(olds).length === 0 ? undefined : olds;
      const urn = request.getUrn();
      const { inputs: all, failures } = resource.check(inputs, before, nameIn(urn), {
        urn,
        proposed: request.getAutonaming()?.getProposedName(),
        // Engines before 3.274 don't show it.
        state: request.hasOldOutputs() ? fromStruct(request.getOldOutputs()).properties : undefined,
      });
      return (
        new messages.CheckResponse()
          .setInputs(sent(all, inputs))
          // A property named here would have its value printed by the engine, secret or not.
          .setFailuresList(failures.map((reason) => new messages.CheckFailure().setReason(reason)))
      );
    },
    diff: async (request: messages.DiffRequest) => {
      const { properties: state } = fromStruct(request.getOlds());
      const { properties: inputs } = fromStruct(request.getNews());
      const name = nameIn(request.getUrn());
      return diffResponse(resource.diff(ownId(request.getId()), state, inputs, name), state);
    },
    create: async (request: messages.CreateRequest) => {
      const { properties: inputs } = fromStruct(request.getProperties());
      const answer = new messages.CreateResponse();
      if (request.getPreview()) return withState(answer, resource.preview(inputs), inputs);
      const { id, state } = await resource.create(inputs);
      return withState(answer.setId(id), state, inputs);
    },
    read: async (request: messages.ReadRequest) => {
      const given = declared(request.getInputs());
      const { properties: state } = fromStruct(request.getProperties());
      // For `.get` the engine has nothing but what the program gave; an import gives nothing at all. A state from a file
      // that was imported has only the provider string.
      const isKnown = serviceKey in state || (providerKey in state && !(externalKey in state));
      const id = request.getId();
      const found = isKnown
        ? await resource.read(id, state, request.getUrn())
        : await resource.find({ id, given, isGet: request.hasInputs() });
      const answer = new messages.ReadResponse();
      if (found === undefined) return answer;
      if (!isKnown) ownIds.set(id, found.id);
      const before = isKnown ? state : given;
      if (found.inputs !== undefined) answer.setInputs(sent(found.inputs, before));
      return withState(answer.setId(found.id), found.state, before);
    },
    update: async (request: messages.UpdateRequest) => {
      const { properties: state } = fromStruct(request.getOlds());
      const { properties: inputs } = fromStruct(request.getNews());
      const next = request.getPreview()
        ? resource.preview(inputs, { id: ownId(request.getId()), state })
        : await resource.update(ownId(request.getId()), state, inputs);
      return withState(new messages.UpdateResponse(), next, inputs);
    },
    delete: async (request: messages.DeleteRequest) => {
      const { properties: state } = fromStruct(request.getProperties());
      await resource.delete(ownId(request.getId()), state, nameIn(request.getUrn()));
      return new Empty();
    },
    /** The state to save although the operation failed. */
    initFailed: ({ id, state }: Kept, given: Properties, message: string) =>
      withState(new messages.ErrorResourceInitFailed().setId(id).setReasonsList([message]), state, given),
  };
}

/** A difference as the engine takes it, with each changed value by its path. */
export function diffResponse({ changes, replaces, details }: Difference, state: Properties) {
  const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
  const answer = new DiffResponse()
    .setChanges(changes === false ? DIFF_NONE : DIFF_SOME)
    .setReplacesList(replaces)
    .setHasdetaileddiff(true);
  if (changes === false) return answer;
  const all = answer.getDetaileddiffMap();
  for (const change of details) {
    const path = readable(change.path);
    const kind = path.length < change.path.length ? "update" : change.kind;
    const replaced = replaces.includes(String(path[0])) ? 1 : 0;
    // The engine shows the old value in state or, if state has it elsewhere, in the previous inputs.
    const isElsewhere =
      kind !== "add" && valuesAt(state, path.map(String)).every((value) => value === undefined);
    all.set(spelled(path), new PropertyDiff().setKind(kinds[kind][replaced]).setInputdiff(isElsewhere));
  }
  const names = new Set(details.map(({ path }) => String(path[0])));
  // Replacements that only state asks for.
  for (const name of replaces.filter((one) => !names.has(one))) {
    all.set(name, new PropertyDiff().setKind(Kind.UPDATE_REPLACE));
  }
  return answer.setDiffsList([...names]);
}

/** The path up to the first name that can't be spelled: in the engine's paths, only quotes can be escaped. */
function readable(path: readonly PropertyKey[]): readonly PropertyKey[] {
  const end = path.map(String).findIndex((step) => step.includes("\\") || step !== oneLine(step));
  return end < 0 ? path : path.slice(0, end);
}
