/** A session with one SNMP agent: gets and walks, bounded in rows and in time. */
import { isIPv6 } from 'node:net'
import {
  AuthProtocols,
  createSession,
  createV3Session,
  PrivProtocols,
  SecurityLevel,
  type Session,
  type User,
  type Varbind,
  Version2c,
} from 'net-snmp'
import type { SnmpLogin, SnmpV3Login } from '../protocol.ts'

export type Row = { readonly oid: string; readonly value: unknown }

export type Agent = {
  /** Values in the order of the list; undefined for missing ones. */
  readonly get: (oids: readonly string[]) => Promise<(unknown | undefined)[]>
  /** All values below it, within the limits; values read before an error are kept. */
  readonly walk: (oid: string, most?: number) => Promise<Row[]>
  readonly close: () => void
}

const TIMEOUT_MS = 1500
const RETRIES = 1
/** Most values of one table. */
const MOST_ROWS = 4096
const ROWS_AT_ONCE = 40

const AUTH: Readonly<Record<string, AuthProtocols>> = {
  none: AuthProtocols.none,
  MD5: AuthProtocols.md5,
  SHA: AuthProtocols.sha,
  SHA224: AuthProtocols.sha224,
  SHA256: AuthProtocols.sha256,
  SHA384: AuthProtocols.sha384,
  SHA512: AuthProtocols.sha512,
}

/** Devices make the long key of AES-256 out of a password in one of two ways, and do not say which. */
const PRIV: Readonly<Record<string, readonly PrivProtocols[]>> = {
  none: [PrivProtocols.none],
  DES: [PrivProtocols.des],
  AES: [PrivProtocols.aes],
  AES256: [PrivProtocols.aes256b, PrivProtocols.aes256r],
}

/** Empty for unsupported algorithms: AES-192. */
const listUsers = ({ username, authProtocol, authPassword, privProtocol, privPassword }: SnmpV3Login): User[] => {
  const auth = AUTH[authProtocol]
  if (auth === undefined) return []
  if (auth === AuthProtocols.none) return [{ name: username, level: SecurityLevel.noAuthNoPriv }]
  const withAuth = { name: username, authProtocol: auth, authKey: authPassword }
  return (PRIV[privProtocol] ?? []).map((priv) =>
    priv === PrivProtocols.none
      ? { ...withAuth, level: SecurityLevel.authNoPriv }
      : { ...withAuth, level: SecurityLevel.authPriv, privProtocol: priv, privKey: privPassword },
  )
}

const listSessions = (ip: string, port: number, login: SnmpLogin): (() => Session)[] => {
  const transport: 'udp4' | 'udp6' = isIPv6(ip) ? 'udp6' : 'udp4'
  const options = { timeout: TIMEOUT_MS, retries: RETRIES, transport, port }
  return login.version === 'v2c'
    ? [() => createSession(ip, login.community, { ...options, version: Version2c })]
    : listUsers(login).map((user) => () => createV3Session(ip, user, options))
}

const getValue = (bind: Varbind | undefined): unknown | undefined => {
  // Types from 128 on mean that the object does not exist (RFC 3416 section 3).
  const isMissing = bind === undefined || (bind.type ?? 0) >= 128
  return isMissing ? undefined : bind.value
}

const createAgent = (session: Session, signal: AbortSignal): Agent => {
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    signal.removeEventListener('abort', close)
    session.close()
  }
  // An ICMP error, or a message made to be unreadable: the request behind it times out.
  session.on('error', () => {})
  signal.addEventListener('abort', close)
  return {
    close,
    get: (oids) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(new Error('closed'))
        session.get([...oids], (error, binds) =>
          error ? reject(error) : resolve(oids.map((_, i) => getValue(binds?.[i]))),
        )
      }),
    walk: (oid, most = MOST_ROWS) =>
      new Promise((resolve) => {
        const rows: Row[] = []
        if (!isOpen) return resolve(rows)
        const feed = (binds: Varbind[]): boolean => {
          for (const bind of binds) if (getValue(bind) !== undefined) rows.push({ oid: bind.oid, value: bind.value })
          return rows.length >= most
        }
        session.subtree(oid, ROWS_AT_ONCE, feed, () => resolve(rows))
      }),
  }
}

/** SNMPv2-MIB sysUpTime.0, which every agent has. */
const UPTIME = '1.3.6.1.2.1.1.3.0'

/** Finds the first of the logins that the agent answers to; undefined for none. */
export const openAgent = async (
  { ip, port, signal }: { ip: string; port: number; signal: AbortSignal },
  logins: readonly SnmpLogin[],
): Promise<{ agent: Agent; login: SnmpLogin } | undefined> => {
  for (const login of logins)
    for (const open of listSessions(ip, port, login)) {
      if (signal.aborted) return undefined
      const agent = createAgent(open(), signal)
      try {
        await agent.get([UPTIME])
        return { agent, login }
      } catch {
        // Not this one.
        agent.close()
      }
    }
  return undefined
}
