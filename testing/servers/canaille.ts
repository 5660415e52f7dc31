/**
 * Starts a temporary directory (OpenLDAP) and an identity provider that signs in its people: Canaille. `docs/sign-in.md` has
 * the same configuration. They end as the servers of servers.ts do.
 */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, existsSync, globSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { canailleFolder } from '../../scripts/python-tools.mjs'
import { findTool } from '../../scripts/server-binaries.mjs'
import { type Visitor, visitorAt } from '../sign-in/visitor.ts'
import { until } from '../until.ts'
import { freePort, launch, missing, read } from './servers.ts'

const BASE = 'dc=example,dc=org'
const ADMIN = { dn: `cn=admin,${BASE}`, password: 'secret of the directory' }
export const CLIENT = { id: 'plat', secret: 's3cret', dn: `oauthClientID=plat,ou=clients,ou=oauth,${BASE}` }

const toolOf = (name: string): string => findTool(name) ?? missing(name)

/** Returns the classes of the clients and tokens that Canaille stores in the directory. */
const oauthSchema = (): string => {
  const [file] = globSync(
    join(canailleFolder, 'lib/*/site-packages/canaille/backends/ldap/schemas/oauth2-openldap.schema'),
  )
  return file ?? missing('Canaille')
}

const slapdConf = (dir: string): string =>
  [
    ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    `include ${dir}/oauth2.schema`,
    'modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload memberof',
    `database mdb\nmaxsize 10485760\nsuffix ${BASE}\ndirectory ${dir}/data`,
    `rootdn ${ADMIN.dn}\nrootpw "${ADMIN.password}"`,
    'overlay memberof\n',
  ].join('\n')

const unit = (path: string): string => `dn: ${path},${BASE}\nobjectClass: organizationalUnit\n`

const entries = (redirectUris: { readonly callback: string; readonly login: string }): string =>
  [
    `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\n`,
    ...['ou=people', 'ou=groups', 'ou=oauth'].map(unit),
    ...['tokens', 'authorizations', 'clients', 'consents'].map((name) => unit(`ou=${name},ou=oauth`)),
    ...['grace', 'hedy'].map((uid) =>
      [
        `dn: uid=${uid},ou=people,${BASE}\nobjectClass: inetOrgPerson\ncn: Full name of ${uid}\nsn: Name`,
        `displayName: ${uid}\nmail: ${uid}@example.org\nuserPassword: password of ${uid}\n`,
      ].join('\n'),
    ),
    [
      `dn: ${CLIENT.dn}\nobjectClass: oauthClient\noauthAudience: ${CLIENT.dn}`,
      // Canaille asks no consent for clients of this machine.
      `oauthClientSecret: ${CLIENT.secret}\noauthClientName: Plat\noauthClientURI: http://127.0.0.1`,
      `oauthRedirectURIs: ${redirectUris.callback}\noauthPostLogoutRedirectURI: ${redirectUris.login}`,
      'oauthGrantType: authorization_code\noauthResponseType: code\noauthTokenEndpointAuthMethod: client_secret_basic',
      ...['openid', 'profile', 'email', 'groups'].map((scope) => `oauthScope: ${scope}`),
    ].join('\n'),
  ].join('\n')

/** Added to the running server. Its overlay then keeps `memberOf` of the members. A group must have a member. */
const GROUP = [
  `dn: cn=net-ops,ou=groups,${BASE}\nchangetype: add\nobjectClass: groupOfNames`,
  `member: uid=grace,ou=people,${BASE}\nmember: ${ADMIN.dn}\n`,
].join('\n')

/** Returns true if the port takes a connection, else undefined. */
const connects = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(undefined))
  })

const startDirectory = async (redirectUris: Parameters<typeof entries>[0]) => {
  const port = await freePort()
  const uri = `ldap://127.0.0.1:${port}`
  const [slapd, slapadd] = [toolOf('slapd'), toolOf('slapadd')]
  const { stop } = await launch({
    stopSignal: 'KILL',
    fill: (dir) => {
      copyFileSync(oauthSchema(), join(dir, 'oauth2.schema'))
      writeFileSync(join(dir, 'slapd.conf'), slapdConf(dir))
      writeFileSync(join(dir, 'entries.ldif'), entries(redirectUris))
    },
    prepare: (dir) => `mkdir ${dir}/data && ${slapadd} -q -f ${dir}/slapd.conf -l ${dir}/entries.ldif`,
    serve: (dir) => [slapd, '-f', join(dir, 'slapd.conf'), '-h', uri, '-d', 'stats'],
    isReady: (dir) => read(join(dir, 'log')).includes('slapd starting'),
  })
  /** Applies changes in LDIF. */
  const modify = (ldif: string): void => {
    const args = ['-x', '-H', uri, '-D', ADMIN.dn, '-w', ADMIN.password]
    const { status, stderr } = spawnSync(toolOf('ldapmodify'), args, { input: ldif, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  // It says that it starts before it listens.
  await until('directory that listens', () => connects(port))
  modify(GROUP)
  return { uri, stop, modify }
}

/** Canaille requires a key of RSA. */
const signingKey = (): string => {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const fields = Object.entries({ ...jwk, kid: 'one' }).map(([name, value]) => `${name} = "${value}"`)
  return `{ ${fields.join(', ')} }`
}

const canailleToml = (port: number, ldap: string): string =>
  `
SECRET_KEY = "only for tests"
SERVER_NAME = "127.0.0.1:${port}"
PREFERRED_URL_SCHEME = "http"
[CANAILLE]
DATABASE = "ldap"
[CANAILLE_LDAP]
URI = "${ldap}"
ROOT_DN = "${BASE}"
BIND_DN = "${ADMIN.dn}"
BIND_PW = "${ADMIN.password}"
USER_BASE = "ou=people,${BASE}"
GROUP_BASE = "ou=groups,${BASE}"
[CANAILLE_OIDC]
ACTIVE_JWKS = [${signingKey()}]
`

/** Enters a text into the form of a page of Canaille. */
const enter = async ({ send }: Visitor, path: string, fields: Readonly<Record<string, string>>): Promise<Response> => {
  const page = await (await send(path)).text()
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return send(path, { method: 'POST', body: new URLSearchParams({ csrf_token, ...fields }) })
}

export const startCanaille = async (redirectUris: Parameters<typeof entries>[0]) => {
  const canaille = join(canailleFolder, 'bin', 'canaille')
  if (!existsSync(canaille)) missing('Canaille')
  const directory = await startDirectory(redirectUris)
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { stop } = await launch({
    isOwn: true,
    stopSignal: 'KILL',
    fill: (dir) => writeFileSync(join(dir, 'canaille.toml'), canailleToml(port, directory.uri)),
    // One process, which the signal ends.
    serve: (dir) => [
      'env',
      `CANAILLE_CONFIG=${dir}/canaille.toml`,
      canaille,
      'run',
      '--bind',
      `127.0.0.1:${port}`,
      '--workers',
      '0',
    ],
    isReady: (dir) => read(join(dir, 'log')).includes('Running on'),
  }).catch(async (error: unknown) => {
    await directory.stop()
    throw error
  })
  return {
    issuer,
    modify: directory.modify,
    /** Signs in at the provider, on the way to the address of an authorization. @returns the address at Plat */
    signIn: async (visitor: Visitor, url: URL, login: string): Promise<URL> => {
      const first = await visitor.follow(url)
      if (first.at.origin !== issuer) return first.at
      await enter(visitor, '/login', { login })
      const entered = await enter(visitor, '/auth/password', { password: `password of ${login}` })
      const { at } = await visitor.follow(entered.headers.get('location') ?? '')
      return at
    },
    visitor: () => visitorAt(issuer),
    stop: async () => {
      await stop()
      await directory.stop()
    },
  }
}
export type Canaille = Awaited<ReturnType<typeof startCanaille>>
