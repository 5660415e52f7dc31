/** Lists of rows as they are sent: counted, paged, streamed, with an ETag that is known before any row is read. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { JsonList } from './answer.ts'
import type { KernelCtx } from './kernel.ts'

type List<Tables, TB extends keyof Tables, Row, T> = {
  /** `ctx.store.revision` of every table that the rows are made of, read before anything else is. */
  readonly revision: string
  readonly query: SelectQueryBuilder<Tables, TB, Row>
  readonly page: { readonly limit?: number | undefined; readonly offset?: number | undefined }
  /** One row as the object of the contract, or as its JSON text. */
  readonly row: (row: Row) => NoInfer<T> | string | Promise<NoInfer<T>>
}

export const listRows = <Tables, TB extends keyof Tables, Row, T>(
  ctx: KernelCtx<Tables>,
  { revision, query, page, row }: List<Tables, TB, Row, T>,
): JsonList<T> => {
  const paged =
    page.limit === undefined && page.offset === undefined
      ? query
      : query.limit(page.limit ?? Number.MAX_SAFE_INTEGER).offset(page.offset ?? 0)
  return new JsonList<T>({
    revision,
    total: async () => {
      const counted = query.clearSelect().clearOrderBy().select(sql<number>`count(*)`.as('n'))
      // With the tables unknown here, so is the type of the one column that was just selected.
      const { n } = (await counted.executeTakeFirstOrThrow()) as { n: number | string }
      return Number(n)
    },
    rows: async function* () {
      for await (const rows of ctx.store.stream(paged)) {
        const sent = rows.map(row)
        const isPending = sent[0] instanceof Promise
        yield (isPending ? await Promise.all(sent) : sent).map((one) =>
          typeof one === 'string' ? one : JSON.stringify(one),
        )
      }
    },
  })
}
