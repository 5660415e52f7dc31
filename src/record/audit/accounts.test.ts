// Audit entries of changes to accounts.
import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { cookieOf } from '../../../testing/sign-in/sign-in.ts'
import { Session } from '../../people/sessions/api.ts'
import { AuditEntry } from './api.ts'

describe.each(onSqlite())('the audit trail of accounts on %s', (dialect) => {
  const all = people(dialect, () => ({ config: { auditEnabled: true } }))
  const newest = async (query: string) => {
    const { body } = await all.admin.ask(`GET /api/audit?limit=1&${query}`)
    return AuditEntry.array().parse(body)[0]
  }

  test.each(['grant-role', 'revoke-role'])('%s is about the user', async (verb) => {
    const { id } = await all.person()
    await all.admin.ask(`POST /api/users/${verb}`, { user_id: id, role_id: 'role-viewer' })
    expect(await newest(`resource_id=${id}`)).toMatchObject({
      action: 'update',
      resource: 'user',
      resource_id: id,
      changes: '{"role_id":"role-viewer"}',
      status: 'success',
    })
  })

  const signedIn = async () => {
    const person = await all.person()
    const body = { username: person.username, password: QUICK }
    const cookie = cookieOf(await all.app.send('POST /api/auth/login', { body }))
    const list = async () => Session.array().parse((await person.ask('GET /api/sessions')).body)
    return { ...person, cookie, list, session: (await list())[0]?.id ?? '' }
  }

  test('the end of a session is about the session', async () => {
    const { ask, session } = await signedIn()
    await ask(`DELETE /api/sessions/${session}`)
    expect(await newest(`resource_id=${session}`)).toMatchObject({ action: 'delete', resource: 'session' })
  })

  test('signing out is about the session', async () => {
    const { cookie, session, list } = await signedIn()
    await all.app.send('POST /api/auth/logout', { cookie })
    expect(await newest(`resource_id=${session}`)).toMatchObject({ action: 'logout', status: 'success' })
    expect(await list()).toEqual([])
  })

  test('no session ends without its entry', async () => {
    const { ask, session, list, cookie } = await signedIn()
    await all.app.db.write(({ db }) => sql`ALTER TABLE audit RENAME TO audit_away`.execute(db))
    const ended = await ask(`DELETE /api/sessions/${session}`)
    const signedOut = await all.app.send('POST /api/auth/logout', { cookie })
    await all.app.db.write(({ db }) => sql`ALTER TABLE audit_away RENAME TO audit`.execute(db))
    expect([ended.status, signedOut.status]).toEqual([500, 500])
    expect(await list()).toMatchObject([{ id: session }])
  })
})
