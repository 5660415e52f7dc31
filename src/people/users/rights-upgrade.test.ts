// Users, roles and keys of the version before groups, scopes and second factors may do what they could, and no more.
import { expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { UNLIMITED } from '../../../testing/app/app.ts'
import { storedAreas } from '../../../testing/estates/areas.ts'
import { upgraded } from '../../../testing/servers/earlier-version.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { compose } from '../../app/compose.ts'
import { contracts } from '../../app/contracts.ts'
import { loadConfig } from '../../base/config/config.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { createPasswords } from '../../base/security/passwords.ts'
import type { Tables } from '../../database/tables.ts'
import { makeKey } from '../keys/keys.ts'
import type { Role } from '../roles/api.ts'

const AT = '2026-01-02T03:04:05.678Z'
const PASSWORD = 'battery staple'
const HASH = Bun.password.hashSync(PASSWORD, { algorithm: 'bcrypt', cost: 4 })

/** The own permissions of two roles, and the roles of the users. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  clerk: ['devices:list', 'devices:read', 'pools:list', 'users:list'],
  keeper: ['devices:list', 'networks:create', 'networks:list', 'roles:list', 'apikeys:list'],
}
const USERS: Readonly<Record<string, readonly string[]>> = {
  root: ['role-admin'],
  oper: ['role-operator'],
  view: ['role-viewer'],
  ann: ['clerk'],
  ben: ['clerk', 'keeper'],
  eve: ['keeper', 'role-viewer'],
  guest: [],
}
const KEYS = new Map(Object.keys(USERS).map((user) => [user, makeKey()]))

const fill = async (db: Kysely<Tables>): Promise<void> => {
  for (const [role, permissions] of Object.entries(ROLES)) {
    await sql`INSERT INTO roles (id, name, name_key, description, is_system, created_at, updated_at)
      VALUES (${role}, ${role}, ${role}, '', 0, ${AT}, ${AT})`.execute(db)
    for (const permission of permissions)
      await sql`INSERT INTO role_permissions (role_id, permission) VALUES (${role}, ${permission})`.execute(db)
  }
  for (const [user, roles] of Object.entries(USERS)) {
    await sql`INSERT INTO users (id, username, username_key, email, full_name, password_hash, is_active, generation, created_at, updated_at)
      VALUES (${user}, ${user}, ${user}, '', '', ${HASH}, 1, 0, ${AT}, ${AT})`.execute(db)
    for (const role of roles) await sql`INSERT INTO user_roles (user_id, role_id) VALUES (${user}, ${role})`.execute(db)
    const { key_hash = '', prefix = '' } = KEYS.get(user) ?? {}
    await sql`INSERT INTO api_keys (id, user_id, name, name_key, key_hash, prefix, created_at)
      VALUES (${user}, ${user}, ${user}, ${user}, ${key_hash}, ${prefix}, ${AT})`.execute(db)
  }
  await sql`INSERT INTO datacenters (id, name, name_key, location, description, created_at, updated_at)
    VALUES ('dc', 'Main', 'main', '', '', ${AT}, ${AT})`.execute(db)
}

/** Permissions that did not exist. */
const isNew = (permission: string): boolean => /^(groups|scopes|sso-providers):/.test(permission)

/** Lists without required parameters, with their permission. */
const LISTS = Object.values(contracts).flatMap((operations) =>
  Object.values(operations).flatMap(({ http, access }) =>
    /^GET \/api\/[^{]+s$/.test(http) && typeof access === 'string' && access.endsWith(':list')
      ? [{ path: http.slice('GET '.length), permission: access as string }]
      : [],
  ),
)

test.each(engines())(
  'users, roles and keys keep their rights on %s',
  async (dialect) => {
    const { db, dir, close } = await upgraded(dialect, '0053', fill)
    const config = loadConfig({ env: { ...UNLIMITED, DATA_DIR: dir }, cwd: dir })
    const context = {
      config,
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
      now: () => new Date(),
    }
    const nothing = async () => {}
    const passwords = createPasswords({ cost: 4 })
    const plat = await compose(context, { db, maintain: nothing, close: nothing }, { passwords, withJobs: false })
    const fetch = fetchFrom(plat)
    const bearer = (user: string) => ({ Authorization: `Bearer ${KEYS.get(user)?.key}` })
    // The permissions of system roles are in the program.
    const roles = (await (await fetch('GET', '/api/roles', bearer('root'))).json()) as Pick<
      Role,
      'id' | 'permissions'
    >[]
    const permissionsOf = (ids: readonly string[]): string[] =>
      [...new Set(roles.flatMap(({ id, permissions }) => (ids.includes(id) ? permissions : [])))].toSorted()
    for (const [role, permissions] of Object.entries(ROLES))
      expect(permissionsOf([role])).toEqual(permissions.toSorted())
    for (const [user, ids] of Object.entries(USERS)) {
      const signedIn = await fetch('POST', '/api/auth/login', {}, { username: user, password: PASSWORD })
      expect([user, signedIn.status]).toEqual([user, 200])
      const Cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const expected = permissionsOf(ids)
      expect([user, expected.filter(isNew).length]).toEqual([user, ids.includes('role-admin') ? 15 : 0])
      for (const headers of [{ Cookie }, bearer(user)]) {
        const me = (await (await fetch('GET', '/api/auth/me', headers)).json()) as Record<string, unknown>
        expect(me).toMatchObject({ username: user, has_password: true, is_break_glass: false })
        expect([user, (me.permissions as string[]).toSorted()]).toEqual([user, expected])
        for (const { path, permission } of LISTS) {
          const { status } = await fetch('GET', path, headers)
          // One list needs a parameter.
          const allowed = path === '/api/discovery/devices' ? 400 : 200
          expect([user, path, status]).toEqual([user, path, expected.includes(permission) ? allowed : 403])
        }
      }
    }
    expect(LISTS.length).toBeGreaterThan(15)
    const everywhere = await db.read.selectFrom('grants').selectAll().execute()
    expect(everywhere.every(({ scope_id, group_id }) => scope_id === null && group_id === null)).toBe(true)
    expect(await storedAreas(db)).toEqual(new Map([['dc', '']]))
    await plat.close()
    await close()
  },
  60_000,
)
