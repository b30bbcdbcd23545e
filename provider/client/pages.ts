/** Signs that an answer has only a part of a list. The interface has no pages, but the service may cut its lists (R6). */

type IsSign = (value: unknown, read: number, pages: number) => boolean;

/** By the names of members and headers, without separators and "x-". `read`, `pages`: how many records and pages were read. */
const signs: readonly (readonly [RegExp, IsSign])[] = [
  [/^(odata)?next(page|cursor|token|link|ur[il]|href|key|offset|marker|start|id)*$/, Boolean],
  [/^(cursor|continuation(token)?|lastevaluatedkey|scrollid)$/, Boolean],
  [/^(has(more|next|nextpage)|more|(is)?(truncated|partial))$/, (value) => String(value) === "true"],
  [/^(is)?last(page)?$/, (value) => value === false],
  [/^(total(?!page).*|(record|item)?count|contentrange)$/, (value, read) => numberIn(value) > read],
  [/^(total|num|last)?pages?(count)?$/, (value, _read, pages) => numberIn(value) > pages],
  [/^(limit|perpage|pagesize)$/, (value, read, pages) => pages === 1 && numberIn(value) === read],
];

/** Whether nothing shows that there is more, and the query of the next page, if its URL is one of the same origin. */
export function restOf(beside: object, pages: readonly (readonly unknown[])[], baseUrl: string) {
  const read = pages.flat().length;
  const shown = members(beside).filter(([name, value]) =>
    signs.some(([names, isSign]) => names.test(name) && isSign(value, read, pages.length)),
  );
  const [, url] =
    shown.find(([name, value]) => name === "next" && /^(https?:|[/?])/.test(String(value))) ?? [];
  const target = url === undefined ? null : URL.parse(String(url), baseUrl);
  return {
    isWhole: shown.length === 0,
    next: target?.origin === new URL(baseUrl).origin ? target.search : "",
  };
}

/** The members of an object and of what is in it. One for the next page, such as `{"next": {"href": "…"}}`, is called "next". */
function members(value: unknown, within = "", depth = 0): readonly (readonly [string, unknown])[] {
  const link = within === "link" && /<([^<>]*)>[^<]*;\s*rel="?([^"<,;]* )?next\b/i.exec(String(value))?.[1];
  if (link) return [["next", link]];
  if (typeof value !== "object" || value === null) return [[within, value]];
  return (depth > 3 ? [] : Object.entries(value)).flatMap(([given, one]) => {
    const name = given.toLowerCase().replace(/^x-|[^a-z]/g, "");
    const isNext =
      [within, Object(value).rel].includes("next") || /^(odata)?next(page)?(link|ur[il]|href)?$/.test(name);
    return members(one, isNext ? "next" : name, depth + 1);
  });
}

/** A number, or the one that a text ends with, such as `items 0-9/40`. */
const numberIn = (value: unknown) => Number(/^(?:.*\/)?\s*(\d+)\s*$/.exec(String(value))?.[1]);
