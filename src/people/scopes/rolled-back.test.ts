// The scopes that count in a transaction, where a savepoint with a change of scopes is rolled back.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { writeIn } from '../../../testing/app-write.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'
import { loadForTransaction, noteWrite } from './update-areas.ts'

describe.each(engines())('scopes in a transaction on %s', (dialect) => {
  let app: TestApp
  beforeEach(async () => {
    app = await testApp({ dialect })
  })
  afterEach(() => app.close())

  const insert = async (ctx: Ctx, name: string): Promise<void> => {
    await noteWrite(ctx)
    const lists = { datacenter_ids: [], space_ids: [], subnets: [], tags: [name] }
    const times = { created_at: ctx.now, updated_at: ctx.now }
    await store.insert(ctx, { id: Bun.randomUUIDv7(), name, description: '', ...lists, ...times })
  }
  const hasScopes = async (ctx: Ctx): Promise<boolean> => (await loadForTransaction(ctx)) !== undefined

  test('a rolled back change of scopes counts in its savepoint, and neither behind it nor in a later transaction', async () => {
    const seen: boolean[] = []
    await writeIn(app, async (ctx) => {
      seen.push(await hasScopes(ctx))
      const failing = ctx.savepoint(async () => {
        await insert(ctx, 'lost')
        seen.push(await hasScopes(ctx))
        throw new Error('rolled back')
      })
      await failing.catch(() => {})
      seen.push(await hasScopes(ctx))
    })
    await writeIn(app, async (ctx) => void seen.push(await hasScopes(ctx)))
    expect(seen).toEqual([false, true, false, false])
  })

  test('a rolled back change of scopes does not hide a later change of the same transaction', async () => {
    const seen: boolean[] = []
    await writeIn(app, async (ctx) => {
      const failing = ctx.savepoint(async () => {
        await insert(ctx, 'lost')
        throw new Error('rolled back')
      })
      await failing.catch(() => {})
      await insert(ctx, 'kept')
      seen.push(await hasScopes(ctx))
    })
    await writeIn(app, async (ctx) => void seen.push(await hasScopes(ctx)))
    expect(seen).toEqual([true, true])
  })
})
