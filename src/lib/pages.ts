/**
 * Reads rows page by page and calls `work` for each page. `read` returns at most `limit` rows after a position, in the
 * order of their positions; positions begin at 1. Ends with the first page that is not full.
 */
export async function forEachPage<Row>(
  limit: number,
  read: (after: number) => Promise<readonly Row[]>,
  positionOf: (row: Row) => number,
  work: (page: readonly Row[]) => Promise<void> | void,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = await read(after)
    await work(page)
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    after = positionOf(last)
  }
}
