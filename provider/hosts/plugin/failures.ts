/** A failed operation, as the engine expects it. */
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";

/** `kept`: what the engine is to save all the same, because the object exists. */
export function serviceError(
  message: string,
  kept?: ErrorResourceInitFailed,
): Pick<ServiceError, "code" | "details" | "metadata"> {
  const metadata = new Metadata();
  if (kept !== undefined) {
    const any = new Any();
    any.pack(kept.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const all = new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([any]);
    metadata.add("grpc-status-details-bin", Buffer.from(all.serializeBinary()));
  }
  return { code: status.UNKNOWN, details: message, metadata };
}
