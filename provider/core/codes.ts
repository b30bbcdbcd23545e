/**
 * The kinds of failure, by what a pipeline or a hook would do about them: their codes, which docs/troubleshooting.md lists.
 * A code keeps its meaning for good: a number is never changed, and never used again.
 */
export const codes = {
  wrongInput: [1001, "an input, an option or an argument is wrong"],
  configuration: [1002, "a setting is missing or wrong"],
  twoOwners: [1003, "two resources would manage the same object"],
  grantInState: [1004, "the stack has this grant already, and would grant the credits again"],
  otherBaseUrl: [1005, "state was written at another base URL"],
  keyWithoutSecret: [1006, "the program uses a secret that state does not have"],
  unsupported: [1007, "the service, or this version of the package, can't do this"],
  unavailable: [2001, "the service can't be reached, gives no answer, or fails (5xx)"],
  tokenRefused: [2002, "the access token is not accepted or lacks a right (401, 403)"],
  refused: [2003, "the service refused the request (4xx), or answered with a redirect"],
  rateLimited: [2004, "too many requests (429)"],
  unusableAnswer: [2005, "the answer is not one of this service"],
  notFound: [2006, "there is no such object, or more than one has this name"],
  unconfirmed: [2007, "an answer says that the object is gone, and nothing confirms it"],
  interrupted: [2008, "the run was canceled or ended first, or customTimeouts ran out"],
  outcomeUnclear: [3001, "it is not known whether the service carried out a request"],
  keyLost: [3002, "a key may exist that is not in state"],
  grantUnclear: [3003, "it is not known whether credits were granted"],
  notApplied: [3004, "the service accepted a change, and did not apply it"],
  noSecret: [3005, "the service returned no secret, or not the right one"],
  notDeleted: [3006, "a key was not deleted"],
  gone: [3007, "a key in state was deleted or changed outside Pulumi"],
  scopeDiffers: [3008, "the scope exists with another name or description"],
  notRotated: [3009, "a rotating key can't change now"],
  severalKeys: [3010, "keys of a set or of a rotating key failed; each line has its own code"],
  changedOutside: [3011, "rights were changed outside Pulumi, and the preview did not show that"],
  bug: [9001, "a bug in pulumi-apikeys"],
} as const satisfies Readonly<Record<string, readonly [number: number, meaning: string]>>;

export type FailureKind = keyof typeof codes;

/** A code as messages have it. */
export type Code = `APIKEYS${(typeof codes)[FailureKind][0]}`;

/** A text with the code in front. */
export function coded(kind: FailureKind, text: string): `${Code}: ${string}` {
  return `APIKEYS${codes[kind][0]}: ${text}`;
}
