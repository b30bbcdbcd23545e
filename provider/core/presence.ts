import { sharedReads } from "../reads";
import type { Session } from "./definition";
import { InconclusiveError } from "./errors";

/** Throws an InconclusiveError if the workspace of a missing object can't be read: then the object may exist (R6). */
export async function expectVisible(session: Session, workspaceId: string, missing: string): Promise<void> {
  // An earlier read may be from before this token lost its access to the workspace.
  const answer = await sharedReads(session.call).workspace(workspaceId).fresh();
  if (answer.kind === "known") return;
  throw new InconclusiveError(
    `${missing}, but its workspace can't be read either: ${answer.error.message}`,
    `The access token is the likely cause: it may belong to another account. ${session.tokenAdvice} If the token is right, check the workspace's id; if the workspace was deleted, remove the resource from state with \`pulumi state delete\`.`,
  );
}
