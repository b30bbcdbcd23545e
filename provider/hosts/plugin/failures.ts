/** A failed operation, as the engine expects it, with the state to keep if the object exists all the same. */
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { SecretPath } from "../../core/secrecy";
import type { Properties } from "../../core/state";
import { failed } from "../../instance";
import { toStruct } from "./wire";

/** `stateOf` completes the state that is to be kept, and says what of it is secret. `isReadFirst`: whether its resource is. */
export function serviceError(
  error: unknown,
  stateOf: (state: Properties) => readonly [Properties, readonly SecretPath[]] = (state) => [state, []],
  isReadFirst: () => boolean = () => false,
): Pick<ServiceError, "code" | "details" | "metadata"> {
  const { message, kept } = failed(error);
  const metadata = new Metadata();
  if (kept !== undefined) {
    const detail = new ErrorResourceInitFailed()
      .setId(kept.id)
      .setReasonsList([message])
      .setProperties(toStruct(...stateOf(kept.state)))
      .setRefreshBeforeUpdate(isReadFirst());
    const any = new Any();
    any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const all = new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([any]);
    metadata.add("grpc-status-details-bin", Buffer.from(all.serializeBinary()));
  }
  return { code: status.UNKNOWN, details: message, metadata };
}
