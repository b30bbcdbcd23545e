import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import type { Canonical } from "../../core/fields";
import { isUnknown } from "../../core/unknown";

/** IP addresses and CIDR blocks, as a program declares them. An empty list is a value. */
export const addressesSchema = z.nullish(
  z.array(
    z.string().check(
      z.refine((value) => isUnknown(value) || parsed(value) !== undefined, {
        error: "must be an IP address or a CIDR block, such as 10.0.0.1 or 2001:db8::/32",
      }),
    ),
  ),
);

/**
 * Addresses in canonical form: a set, sorted, each spelled one way: a block of one address is that address, and what
 * lies below a block's prefix is 0. Anything else, and what is not known yet, comes last, untouched.
 */
export const canonicalAddresses: Canonical<readonly string[]> = (value) => {
  if (isUnknown(value)) return value as unknown as readonly string[];
  if (!Array.isArray(value)) return undefined;
  const spelled = value.map((entry) => (typeof entry === "string" ? parsed(entry) : undefined));
  const known = [...new Set(spelled.filter((entry) => entry !== undefined))].sort();
  return [...known, ...value.filter((_, place) => spelled[place] === undefined)];
};

function parsed(text: string): string | undefined {
  const [address, bits, ...rest] = text.trim().split("/");
  if (address === undefined || rest.length > 0 || !isAddress(address)) return undefined;
  const { length } = ipaddr.parse(address).toByteArray();
  if (bits === undefined || bits === String(length * 8)) return ipaddr.process(address).toString();
  if (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > length * 8) return undefined;
  const block = `${address}/${bits}`;
  const network =
    length === 4 ? ipaddr.IPv4.networkAddressFromCIDR(block) : ipaddr.IPv6.networkAddressFromCIDR(block);
  return `${network.toString()}/${bits}`;
}

/** Strict: not the short, octal and hexadecimal forms that some parsers take, nor a zone. */
function isAddress(text: string): boolean {
  if (text.includes(":")) return !text.includes("%") && ipaddr.IPv6.isValid(text);
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}
