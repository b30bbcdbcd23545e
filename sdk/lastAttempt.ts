import * as pulumi from "@pulumi/pulumi";

/**
 * Resource options that end the attempts which `onError` hooks ask for, before the hundredth: after that one, the engine
 * would forget all outputs of a resource whose operation failed halfway, its secrets too. If a hook fails, it saves them.
 */
export function lastAttempt({ hooks }: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  // Unit tests with mocks have no stack, and could not register the hook.
  const stack = pulumi.runtime.getStackResource() as Limited | undefined;
  if (hooks?.onError === undefined || stack === undefined) return {};
  // Kept on the stack, because a hook's name must be unique, and a program may load several copies of this package.
  stack[hookKey] ??= new pulumi.ErrorHook("pulumi-apikeys:lastAttempt", ({ errors }) => {
    // The engine shows the error of the operation, not this one.
    if (errors.length > 98) throw new Error("no attempt is left");
    return false;
  });
  return { hooks: { onError: [stack[hookKey]] } };
}

const hookKey = Symbol.for("pulumi-apikeys:lastAttempt");
type Limited = pulumi.Resource & { [hookKey]?: pulumi.ErrorHook };
