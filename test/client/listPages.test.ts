/** Lists that the service gives in pages: which are followed, and which signs show that a list is not whole (R6). */
import { expect, test } from "vitest";
import * as api from "./api";
import { answer, callTo, type Received, wireServer } from "./calls";

const inMain = { workspaceId: "ws_main" };
const path = "/api/v1/workspace/ws_main/api-key";
const key = (n: number) => ({ id: `key_${n}` });

/** Answers the pages of a list with keys 1, 2, 3. */
async function paged(reply: (request: Received, page: number) => string | undefined) {
  const server = await wireServer((request) =>
    reply(request, Number(new URL(request.path, "http://x").searchParams.get("page") ?? 1)),
  );
  const list = async (ending = "") => {
    const { all, isWhole } = await api.listApiKeys(callTo(server.url + ending), inMain);
    return [all.map(({ id }) => id).join(), isWhole, server.requests.map((one) => one.path)];
  };
  return { server, list };
}

test.each<[string, (url: string, origin: string) => { body?: object; headers?: string[] }]>([
  ["a header Link", (url) => ({ headers: [`link: <${url}>; rel="next", </?page=9>; rel="last"`] })],
  [
    "a header Link with an absolute URL",
    (url, origin) => ({ headers: [`Link: <${origin}${url}>;rel=next`] }),
  ],
  [
    "the last of two headers Link",
    (url) => ({ headers: ['link: </>; rel="first"', `link: <${url}>; title="a"; rel="next"`] }),
  ],
  ["next", (url) => ({ body: { next: url } })],
  ["next with an absolute URL", (url, origin) => ({ body: { next: `${origin}${url}` } })],
  ["a relative next", (url) => ({ body: { next: url.slice(url.indexOf("?")) } })],
  ["next_page_url", (url) => ({ body: { meta: { next_page_url: url, total: 3 } } })],
  ["links.next.href", (url) => ({ body: { _links: { self: { href: "/" }, next: { href: url } } } })],
  [
    "a list of links",
    (url) => ({
      body: {
        links: [
          { rel: "self", href: "/" },
          { rel: "next", href: url },
        ],
      },
    }),
  ],
])("R6 the pages of a list are read if the service leads to them by %s", async (_how, signsOf) => {
  const { server, list } = await paged(({ headers }, page) => {
    const { body, headers: more = [] } =
      page < 3 ? signsOf(`${path}?page=${page + 1}`, `http://${headers["host"]}`) : {};
    return answer(200, { apiKeys: [key(page)], ...body }, ...more);
  });
  expect(await list("/tenant")).toEqual(["key_1,key_2,key_3", true, expect.any(Array)]);
  // Whatever the URL's path, the list's own is asked.
  for (const [n, one] of server.requests.entries())
    expect(one.path).toBe(`/tenant${path}${n === 0 ? "" : `?page=${n + 1}`}`);
});

test("R6 no page is read from another origin, or a second time, and at most 100 are", async () => {
  const elsewhere = await wireServer(() => answer(200, { apiKeys: [key(2)] }));
  const lists: [next: (page: number) => string, pages: number][] = [
    [() => `${elsewhere.url}${path}?page=2`, 1],
    [() => `//other.example${path}?page=2`, 1],
    [() => "?page=1", 2],
    [() => `${path}/page/2`, 1],
    [(page) => `?page=${page + 1}`, 100],
  ];
  for (const [next, pages] of lists) {
    const { server, list } = await paged((_, page) => answer(200, { apiKeys: [key(1)], next: next(page) }));
    expect((await list()).slice(1, 2)).toEqual([false]);
    expect(server.requests).toHaveLength(pages);
  }
  expect(elsewhere.requests).toEqual([]);
});

test("R6 a list whose next page can't be read can't be read", async () => {
  const { list } = await paged((_, page) =>
    page === 1 ? answer(200, { apiKeys: [key(1)], next: "?page=2" }) : answer(500),
  );
  await expect(list()).rejects.toMatchObject({ status: 500 });
});

const two = [key(1), key(2)];
test.each<[isWhole: boolean, beside: object, ...headers: string[]]>([
  [true, {}],
  [true, { requestId: "r", meta: { page: 1, perPage: 50 }, _links: { self: "/somewhere" } }],
  [true, { next: null, cursor: "", hasMore: false, has_more: 0, total: 2, pages: 1, truncated: false }],
  [true, { pagination: { page: 1, pageSize: 20, totalPages: 1, totalCount: "2", nextPage: null } }],
  [
    true,
    {},
    "x-total-count: 2",
    "x-next-page: ",
    'link: </>; rel="first", </>; rel="last"',
    "content-range: items 0-1/2",
  ],
  [false, { next: "opaque" }],
  [false, { nextCursor: "opaque" }],
  [false, { next_page_token: "opaque" }],
  [false, { "@odata.nextLink": "https://other.example/?skip=2" }],
  [false, { cursor: "opaque" }],
  [false, { meta: { nextPage: 2 } }],
  [false, { hasMore: true }],
  [false, { has_more: true }],
  [false, { pageInfo: { hasNextPage: true } }],
  [false, { truncated: true }],
  [false, { last: false }],
  [false, { total: 3 }],
  [false, { meta: { pagination: { total_count: "3" } } }],
  [false, { page: 1, totalPages: 2 }],
  [false, { page: 1, limit: 2 }],
  [false, {}, "X-Total-Count: 3"],
  [false, {}, "content-range: items 0-1/3"],
  [false, {}, "x-has-more: true"],
  [false, {}, 'link: <https://other.example/?page=2>; rel="next"'],
])(
  "R6 a list is whole (%s) with %j beside it, and with these headers",
  async (isWhole, beside, ...headers) => {
    const { list, server } = await paged(() => answer(200, { apiKeys: two, ...beside }, ...headers));
    expect(await list()).toEqual(["key_1,key_2", isWhole, [path]]);
    expect(server.requests).toHaveLength(1);
  },
);
