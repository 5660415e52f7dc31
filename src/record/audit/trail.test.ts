import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { contracts } from '../../app/contracts.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { NO_AUDIT } from '../../kernel/changes/audit.ts'
import { NO_HISTORY } from '../../kernel/changes/history.ts'
import { NO_EVENTS } from '../../kernel/event-recorder.ts'
import { createKernel } from '../../kernel/kernel.ts'
import { AuditEntry, Verification } from './api.ts'
import { auditFeature } from './audit.ts'
import { createObjectNames } from './object-names.ts'

const KEYS = { signed: { ENCRYPTION_KEY: 'ab'.repeat(32) }, unsigned: {} }
const Entries = z.array(AuditEntry)
const DAY_MS = 24 * 3600 * 1000

describe.each(engines())('the audit trail on %s', (dialect) => {
  test('is empty unless AUDIT_ENABLED is true', async () => {
    const app = await testApp({ dialect })
    const { api } = await app.as('admin')
    await api.devices.create({ name: 'unrecorded' })
    const entries = await api.audit.list({})
    await app.close()
    expect(entries).toEqual([])
  })

  describe.each(['signed', 'unsigned'] as const)('that is %s', (kind) => {
    let app: TestApp
    let admin: TestCaller
    let ms: number
    beforeEach(async () => {
      ms = Date.parse('2026-01-02T03:04:05.678Z')
      const env = { AUDIT_ENABLED: 'true', AUDIT_RETENTION_DAYS: '30', ...KEYS[kind] }
      app = await testApp({ dialect, env, now: () => new Date(ms) })
      admin = await app.as('admin')
    })
    afterEach(() => app.close())

    const create = async (id: string, more: object = {}) =>
      (await admin.request('POST', '/api/datacenters', { id, name: id, ...more })).status
    const createAll = async (ids: readonly string[]) => Promise.all(ids.map((id) => create(id)))
    const verify = async () => Verification.parse(await (await admin.request('GET', '/api/audit/verify')).json())
    /** Oldest first. */
    const entries = async (query = '') =>
      Entries.parse(await (await admin.request('GET', `/api/audit?limit=1000${query}`)).json()).reverse()
    const tamper = (statement: string) => app.db.write(({ db }) => sql.raw(statement).execute(db))
    const entryIds = async () => (await entries()).map(({ id }) => id)
    const removeOld = async () => {
      const now = () => new Date(ms)
      const log = createLogger({ level: 'error', format: 'text', write: () => {} })
      const kernel = createKernel({
        db: app.db,
        features: [],
        now,
        log,
        onCommit: () => {},
        audit: NO_AUDIT,
        history: NO_HISTORY,
        events: NO_EVENTS,
      })
      for (const job of auditFeature({ config: app.config, objectNames: createObjectNames(contracts) }).jobs ?? [])
        await kernel.runJob(job)
    }
    /** One write after another, so that all entries are in one chain. */
    const createInTurn = async (ids: readonly string[]) => {
      for (const id of ids) expect([id, await create(id)]).toEqual([id, 201])
      return entryIds()
    }

    test('holds the input, the caller and the outcome', async () => {
      await create('a')
      await create('a')
      expect(await entries()).toMatchObject([
        { action: 'create', resource: 'datacenter', resource_id: 'a', status: 'success', key_owner_id: admin.userId },
        { action: 'create', resource: 'datacenter', status: 'failure', error: expect.stringContaining('exists') },
      ])
    })

    test('of writes that share a commit, of which some fail, is whole', async () => {
      await create('taken')
      const statuses = await createAll(['a', 'taken', 'b', 'taken', 'c'])
      expect(statuses).toEqual([201, 409, 201, 409, 201])
      const found = await entries('&resource=datacenter')
      expect(found.filter(({ status }) => status === 'success')).toHaveLength(4)
      expect(found.filter(({ status }) => status === 'failure')).toHaveLength(2)
      expect(await verify()).toEqual({ ok: true, checked: 6, signed: kind === 'signed', first_bad: null })
    })

    test('goes on behind a commit that failed as a whole', async () => {
      await create('before')
      const fail = app.db.write(async (tx) => {
        tx.atCommit(async () => {
          throw new Error('no commit')
        }, undefined)
      })
      const outcomes = await Promise.allSettled([create('beside'), fail])
      expect(outcomes[1]).toMatchObject({ status: 'rejected' })
      expect(await create('after')).toBe(201)
      expect(await verify()).toMatchObject({ ok: true })
    })

    test('of many at once is whole', async () => {
      await createAll(Array.from({ length: 150 }, (_, i) => `many-${i}`))
      expect(await verify()).toMatchObject({ ok: true, checked: 150 })
    })

    test('names the entry that was altered', async () => {
      const ids = await createInTurn(['a', 'b', 'c'])
      await tamper(`UPDATE audit SET username = 'somebody' WHERE id = '${ids[1]}'`)
      expect(await verify()).toMatchObject({ ok: false, first_bad: { id: ids[1] } })
    })

    test('names the entry behind one that was removed', async () => {
      const ids = await createInTurn(['a', 'b', 'c'])
      await tamper(`DELETE FROM audit WHERE id = '${ids[1]}'`)
      expect(await verify()).toMatchObject({ ok: false, first_bad: { id: ids[2] } })
    })

    test('reports that the newest entry was removed, also when others follow', async () => {
      const ids = await createInTurn(['a', 'b', 'c'])
      await tamper(`DELETE FROM audit WHERE id = '${ids[2]}'`)
      expect(await verify()).toMatchObject({ ok: false, first_bad: { id: '' } })
      await create('d')
      expect((await verify()).ok).toBe(false)
    })

    test('is not continued where its end was moved back, with a key', async () => {
      const ids = await createInTurn(['a', 'b', 'c'])
      await tamper(`DELETE FROM audit WHERE id = '${ids[2]}'`)
      await tamper(
        `UPDATE audit_chains SET end_seq = 2, end_hash = (SELECT hash FROM audit WHERE id = '${ids[1]}') WHERE end_seq = 3`,
      )
      await create('d')
      expect((await verify()).ok).toBe(kind === 'unsigned')
    })

    test('loses entries that are too old, and still verifies the rest', async () => {
      await createInTurn(['a', 'b'])
      ms += 31 * DAY_MS
      await createInTurn(['c'])
      await removeOld()
      await createInTurn(['d'])
      expect((await entries()).map(({ resource_id }) => resource_id)).toEqual(['c', 'd'])
      expect(await verify()).toMatchObject({ ok: true, checked: 2 })
    })
  })
})
