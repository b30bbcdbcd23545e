import type { Answer } from "./answer";

/** The same answer with this string after the fields of each record, whether or not that is valid JSON. */
export function withMoreFields(answer: Answer, json: string): Answer {
  if (typeof answer.body !== "object" || answer.body === null) return answer;
  const extended = (record: unknown) => JSON.stringify(record).replace(/\}$/, () => `,${json}}`);
  const fields = Object.entries(answer.body).map(([name, value]) => {
    const text = Array.isArray(value) ? `[${value.map(extended).join()}]` : extended(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  const headers = { "content-type": "application/json", ...answer.headers };
  return { ...answer, headers, body: `{${fields.join()}}` };
}
