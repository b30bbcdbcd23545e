import type { Report } from "./report";
export function plot(_report: Report): string {
  return "";
}
