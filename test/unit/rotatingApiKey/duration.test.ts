import { expect, test } from "vitest";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { configured, least, offline } from "../offline";

const subject = offline(configured, {}, rotatingApiKey);

test.each(["1h", "99999h", "24h", "99999d", "1w", "9999w"])(
  "T1 the inputs that check returns for %s mean the same when they are checked again",
  (rotateEvery) => {
    const { inputs, failures } = subject.check({ ...least, rotateEvery, overlap: "0d" }, undefined);
    expect(failures).toEqual([]);
    expect(subject.check(inputs, undefined)).toEqual({ inputs, failures });
  },
);

test.each(["10000w", "100000d", "100000h", "1.5d", "-1d", "d", ""])("T1 %j is no duration", (rotateEvery) => {
  expect(subject.check({ ...least, rotateEvery }, undefined).failures).toHaveLength(1);
});
