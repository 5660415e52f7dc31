/** A user with lists that hold all of its streams, and a further stream that waits. */
import { expect, test } from 'bun:test'
import { until } from '../../testing/until.ts'
import type { Db } from './database.ts'
import { createStreamShares } from './stream-shares.ts'

type Tables = Record<never, never>

/** A database with streams that stay open until they are closed. */
const store = {
  stream: async function* () {
    for (;;) yield [1]
  },
  // The shares use nothing else.
} as unknown as Db<Tables>

test('the older streams of a user are recalled while a further one waits', async () => {
  const recalls: { readonly beforeMs: number; readonly owner: string | undefined }[] = []
  const shares = createStreamShares(1, (beforeMs, owner) => recalls.push({ beforeMs, owner }))
  const open = (user: string) => shares(store, user).stream()
  const first = open('ann')
  await first.next()
  const other = open('bea')
  await other.next()
  const waiting = open('ann')
  const next = waiting.next()
  const { beforeMs, owner } = await until('a recall', () => recalls[0])
  expect(owner).toBe('ann')
  expect(beforeMs).toBeLessThan(performance.now() - 900)
  await first.return(undefined)
  expect((await next).value as unknown).toEqual([1])
  recalls.length = 0
  const waitingToo = open('bea')
  const nextToo = waitingToo.next()
  await until('a recall of the other user', () => recalls[1])
  expect(new Set(recalls.map((recall) => recall.owner))).toEqual(new Set(['bea']))
  await other.return(undefined)
  await nextToo
  await waiting.return(undefined)
  await waitingToo.return(undefined)
})
