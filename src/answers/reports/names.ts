/** Compares names of hosts. Case and the final dot do not count. */

export const normalizeName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const getFirstLabel = (name: string): string => name.split('.', 1)[0] ?? ''

/** The names that one source gives a host. */
export type HostNames = {
  /** Normalized. */
  readonly names: readonly string[]
  /** The normalized host names without a dot, which also stand for names that begin with them. */
  readonly labels: readonly string[]
}

/** Returns the names of a documented device: its host name and domains, and its own name if there are any. */
export const toDocumentedNames = (hostname: string, domains: readonly string[], name: string): HostNames => {
  const given = [hostname, ...domains].filter((one) => one !== '').map(normalizeName)
  const host = normalizeName(hostname)
  return {
    names: given.length === 0 ? [] : [...given, normalizeName(name)],
    labels: host === '' || host.includes('.') ? [] : [host],
  }
}

/** Returns the names that a host tells or a server has of it. Patterns of certificates and texts with blanks are no names. */
export const toHostNames = (names: readonly string[]): HostNames => {
  const all = names
    .filter((name) => name !== '' && !/[\s*]/.test(name))
    // A name of mDNS is the host name with a domain of its own (RFC 6762 section 3).
    .map((name) => normalizeName(name).replace(/\.local$/, ''))
  return { names: all, labels: all.filter((name) => !name.includes('.')) }
}

/** True if a name of the one is one of the other. */
export const haveCommonName = (one: HostNames, other: HostNames): boolean =>
  one.names.some((name) => other.names.includes(name) || other.labels.includes(getFirstLabel(name))) ||
  other.names.some((name) => one.labels.includes(getFirstLabel(name)))
