/** Reads the URL of a PostgreSQL database that runs on one or several hosts. */
import { InvalidValue } from '../config/values.ts'
import { parseTls, type Tls } from './tls.ts'

/** A host of the database. A name may stand for several machines. */
export type Host = {
  /** The host with its port, without user and password: `db1:5432`, `[2001:db8::1]:5432`. */
  readonly name: string
  /** The URL for this host only. */
  readonly url: string
}

export type DatabaseUrl = {
  readonly hosts: readonly [Host, ...Host[]]
  /** The hosts, as given, and the database: `db1,db2:5433/plat`. Without user and password. */
  readonly place: string
  readonly tls: Tls
}

const MOST_HOSTS = 9
const DEFAULT_PORT = 5432
const SCHEMES = ['postgres', 'postgresql']
const ATTRIBUTES = 'target_session_attrs'
/** Scheme, user with password, hosts, and the rest. The last `@` ends the password, which may have a comma or another `@`. */
const FORM = /^([a-z]+):\/\/(?:([^/?#]*)@)?([^/?#@]*)(.*)$/is
const HOST = /^([^\s:[\]]+|\[[0-9a-f:.%]+\])(?::(\d*))?$/i
/** A password with one of `/?#`, which ends the hosts too early. */
const CUT_PASSWORD = /^[^=]*@/

const parseHost = (text: string, n: number): string => {
  if (text === '') throw new InvalidValue(`must name a host at place ${n} of its list of hosts`)
  const [, host = '', portText] = HOST.exec(text) ?? []
  // The text is not repeated, because it may be a part of the password.
  if (host === '') throw new InvalidValue(`must have HOST, HOST:PORT or [IPV6]:PORT at place ${n} of its list of hosts`)
  const port = portText === undefined ? DEFAULT_PORT : Number(portText)
  if (portText === '' || port < 1 || port > 65_535)
    throw new InvalidValue(`must have a port from 1 to 65535 after the host ${host}`)
  return `${host}:${port}`
}

/** A % begins two hexadecimal digits, and what a part stands for is UTF-8 (RFC 3986, section 2.1). */
const checkPercents = (part: string, text: string): void => {
  try {
    decodeURIComponent(text)
  } catch {
    // Neither the text nor the error is shown: they may have a part of the password.
    throw new InvalidValue(
      `must have a % in its ${part} only before two hexadecimal digits, as in %40 for @: write the % itself as %25`,
    )
  }
}

const checkEncoding = (user: string, path: string): void => {
  const [name = '', ...password] = user.split(':')
  checkPercents('user name', name)
  checkPercents('password', password.join(':'))
  checkPercents('database name', path)
}

/** Returns the path, the parameters and the fragment without the one parameter that says no more than holds anyway. */
const removeAttributes = (rest: string): string => {
  const [path = '', ...query] = rest.split('?')
  const parameters = query.join('?').split('&')
  const isAttributes = (parameter: string): boolean => parameter.split('=')[0] === ATTRIBUTES
  const wanted = parameters.filter(isAttributes).find((one) => one !== `${ATTRIBUTES}=read-write`)
  if (wanted !== undefined)
    throw new InvalidValue(
      `must not have ${wanted.slice(0, 60)}: Plat uses the primary, so only ${ATTRIBUTES}=read-write is accepted`,
    )
  const others = parameters.filter((one) => one !== '' && !isAttributes(one)).join('&')
  return others === '' ? path : `${path}?${others}`
}

/**
 * @example parseDatabaseUrl('postgres://plat:pw@db1,db2:5433/plat').hosts[1] // { name: 'db2:5433', url: 'postgres://plat:pw@db2:5433/plat' }
 * @throws InvalidValue that names the host, and never a part of the password
 */
export const parseDatabaseUrl = (text: string): DatabaseUrl => {
  const [, scheme = '', user, list = '', rest = ''] = FORM.exec(text) ?? []
  if (!SCHEMES.includes(scheme) || text.length <= scheme.length + 3)
    throw new InvalidValue(`must start with ${SCHEMES.map((one) => `${one}://`).join(' or ')}`)
  if (CUT_PASSWORD.test(rest))
    throw new InvalidValue('must have the characters / ? # @ of its password percent-encoded')
  const [path = ''] = rest.split(/[?#]/)
  checkEncoding(user ?? '', path)
  const tls = parseTls(rest.slice(path.length))
  const before = `${scheme}://${user === undefined ? '' : `${user}@`}`
  const after = removeAttributes(rest)
  const place = `${list}${path}`
  // A URL without a host means this machine.
  if (list === '') return { hosts: [{ name: `localhost:${DEFAULT_PORT}`, url: `${before}${after}` }], place, tls }
  const texts = list.split(',')
  if (texts.length > MOST_HOSTS)
    throw new InvalidValue(`must name at most ${MOST_HOSTS} hosts; it names ${texts.length}`)
  const names = texts.map((one, at) => parseHost(one, at + 1))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new InvalidValue(`must name each host once; it names ${twice} twice`)
  const [first = '', ...others] = names
  const toHost = (name: string): Host => ({ name, url: `${before}${name}${after}` })
  if (!URL.canParse(toHost(first).url)) throw new InvalidValue('must be a URL: postgres://USER:PASSWORD@HOST/DATABASE')
  return { hosts: [toHost(first), ...others.map(toHost)], place, tls }
}
