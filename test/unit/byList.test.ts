import { describe, expect, test } from "vitest";
import { type Listing, openByList } from "../../provider/reads/byList";
import { openSharedRead } from "../../provider/reads/sharedRead";

interface Box {
  readonly id: string;
  readonly size: number;
}
const boxes = (...sizes: readonly number[]): Box[] => sizes.map((size, place) => ({ id: `b${place}`, size }));

/** Boxes as each is by itself, a list of them, and a reader that holds a box for unchanged at the size it had before. */
function shelf(
  now: readonly Box[],
  listed: readonly Box[] | "none",
  before: readonly Box[] = now,
  { never, writes = () => 0 }: { readonly never?: string; readonly writes?: () => number } = {},
) {
  const asked: string[] = [];
  const list = openSharedRead<Listing<Box> | string>(
    async () => {
      asked.push("list");
      return listed === "none" ? "none" : { all: listed, byId: new Map(listed.map((box) => [box.id, box])) };
    },
    { writes },
  );
  const byList = openByList(list, 60_000);
  const sizeOf = (all: readonly Box[], id: string) => all.find((box) => box.id === id);
  const read = (id: string) =>
    byList.read(id, {
      single: async () => {
        asked.push(id);
        if (id === never) await new Promise(() => {});
        const record = sizeOf(now, id);
        return { record, result: record?.size };
      },
      unchanged: (box) => (box.size === sizeOf(before, id)?.size ? box.size : undefined),
      alike: (left, right) => left.size === right.size,
    });
  return { asked, readAll: () => Promise.all(before.map(({ id }) => read(id))), read };
}

describe("reads by a list", () => {
  test("ask for the first object, and for the list that settles all others", async () => {
    const { asked, readAll } = shelf(boxes(1, 2, 3, 4), boxes(1, 2, 3, 4));
    expect(await readAll()).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual(["b0", "list"]);
  });

  test("ask for an object again that was read by itself, whatever a list of then shows", async () => {
    const now = boxes(1, 2, 3);
    const { asked, read, readAll } = shelf(now, boxes(1, 2, 3), boxes(1, 2, 3));
    await readAll();
    await read("b1");
    now[0] = { id: "b0", size: 10 };
    expect(await read("b0")).toBe(10);
    expect(asked).toEqual(["b0", "list", "b1", "b0"]);
  });

  test("ask for no list where there is one object, however often it is read", async () => {
    const { asked, read } = shelf(boxes(1), boxes(1));
    expect([await read("b0"), await read("b0")]).toEqual([1, 1]);
    expect(asked).toEqual(["b0", "b0"]);
  });

  test("ask for each object that the list shows changed, or not at all", async () => {
    const { asked, readAll } = shelf(boxes(1, 20, 3, 4), boxes(1, 20, 3), boxes(1, 2, 3, 4, 5));
    expect(await readAll()).toEqual([1, 20, 3, 4, undefined]);
    expect(asked.toSorted()).toEqual(["b0", "b1", "b3", "b4", "list"]);
  });

  test("take nothing from a list that shows the first object otherwise than it is", async () => {
    // It lags behind: what it shows of the second was so, and is no more.
    const { asked, readAll } = shelf(boxes(10, 20, 3), boxes(1, 2, 3), boxes(1, 2, 3));
    expect(await readAll()).toEqual([10, 20, 3]);
    expect(asked.toSorted()).toEqual(["b0", "b1", "b2", "list"]);
  });

  test("take nothing from a list that lacks the first object, until another one proves it", async () => {
    const { asked, read } = shelf(boxes(1, 2, 3), boxes(1, 2, 3).slice(1));
    expect([await read("b0"), await read("b1"), await read("b2")]).toEqual([1, 2, 3]);
    expect(asked).toEqual(["b0", "list", "b1"]);
  });

  test("ask for each object where the list can't be had, and for the list once", async () => {
    const { asked, readAll } = shelf(boxes(1, 2, 3), "none");
    expect(await readAll()).toEqual([1, 2, 3]);
    expect(asked.toSorted()).toEqual(["b0", "b1", "b2", "list"]);
  });

  test("take the next one for the first where that is gone", async () => {
    const { asked, readAll } = shelf(
      boxes(1, 2, 3, 4).slice(1),
      boxes(1, 2, 3, 4).slice(1),
      boxes(1, 2, 3, 4),
    );
    expect(await readAll()).toEqual([undefined, 2, 3, 4]);
    expect(asked.toSorted()).toEqual(["b0", "b1", "list"]);
  });

  test("ask for each by itself where the first three are gone", async () => {
    const { asked, readAll } = shelf([], boxes(1, 2, 3, 4, 5), boxes(1, 2, 3, 4, 5));
    expect(await readAll()).toEqual([1, 2, 3, 4, 5].map(() => undefined));
    expect(asked.toSorted()).toEqual(["b0", "b1", "b2", "b3", "b4", "list"]);
  });

  test("do not wait for a first one that takes long", async () => {
    const { asked, read } = shelf(boxes(1, 2, 3), boxes(1, 2, 3), boxes(1, 2, 3), { never: "b0" });
    void read("b0");
    expect(await Promise.all([read("b1"), read("b2")])).toEqual([2, 3]);
    expect(asked.toSorted()).toEqual(["b0", "b1", "list"]);
  });

  test("take nothing from a list past which this process has written while they waited", async () => {
    let writes = 0;
    const { asked, read } = shelf(boxes(1, 2), boxes(1, 2), boxes(1, 2), { writes: () => writes });
    const both = Promise.all([read("b0"), read("b1")]);
    writes += 1;
    expect(await both).toEqual([1, 2]);
    expect(asked.toSorted()).toEqual(["b0", "b1", "list"]);
  });

  test("take nothing from such a list where another was asked for since", async () => {
    let writes = 0;
    const listed = boxes(1, 1);
    const list = openSharedRead<Listing<Box>>(
      async () => ({ all: listed, byId: new Map(listed.map((box) => [box.id, box])) }),
      { writes: () => writes },
    );
    const { read } = openByList(list, 1);
    const first = Promise.withResolvers<{ record: Box; result: number }>();
    const sure = { unchanged: () => 1, alike: () => true };
    const both = [
      read("b0", { ...sure, single: () => first.promise }),
      read("b1", { ...sure, single: async () => ({ record: { id: "b1", size: 2 }, result: 2 }) }),
    ];
    await new Promise((resolve) => setTimeout(resolve, 5));
    writes += 1;
    await list.current(1, "b2")?.answer;
    first.resolve({ record: { id: "b0", size: 1 }, result: 1 });
    expect(await Promise.all(both)).toEqual([1, 2]);
  });

  test("are each told of their own failure", async () => {
    const list = openSharedRead<Listing<Box>>(async () => ({ all: [], byId: new Map() }), {
      writes: () => 0,
    });
    const { read } = openByList(list, 60_000);
    const failing = (id: string) =>
      read<number>(id, {
        single: async () => Promise.reject(new Error(`no ${id}`)),
        unchanged: () => 1,
        alike: () => true,
      });
    const ends = await Promise.allSettled([failing("b0"), failing("b1")]);
    expect(ends.map((end) => end.status === "rejected" && String(end.reason))).toEqual([
      "Error: no b0",
      "Error: no b1",
    ]);
  });
});
