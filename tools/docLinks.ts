/** The links in declarations that an editor shows with a class or a function. */

interface Manifest {
  readonly version: string;
  readonly homepage?: string;
}

/** A comment with its pages as links to the repository; while that has no address, as paths in the user's project. */
export function withLinks(comment: string, { version, homepage }: Manifest): string {
  const root = homepage && `${homepage.replace(/#.*$/, "")}/blob/v${version}`;
  return comment.replace(/\bdocs\/[\w-]+\.md/g, (page) =>
    root ? `[${page}](${root}/${page})` : `node_modules/pulumi-apikeys/${page}`,
  );
}
