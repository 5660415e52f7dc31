/** Looks at each host of a PostgreSQL database once: which one is the primary, and what the others are. */
import { SQL } from 'bun'
import type { DatabaseUrl, Host } from '../../base/hosts/database-url.ts'
import { createHosts } from '../../base/hosts/hosts.ts'
import type { HostState } from '../../base/hosts/primary.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const TIMEOUT_S = 5

const formatLag = ({ lagBytes, lagMs }: HostState): string => {
  if (lagBytes === undefined) return ''
  return lagBytes === 0 ? ', which has all commits' : `, ${lagBytes} bytes and ${lagMs ?? 0} ms behind`
}

const toFinding = (state: HostState): Finding => {
  const { host, role, message } = state
  switch (role) {
    case 'primary':
      return ok('host', `${host} is the primary`)
    case 'standby':
      return message === ''
        ? ok('host', `${host} is a standby${formatLag(state)}`)
        : warning('host', `${host} ${message}`, 'make it follow the primary: pg_rewind, or a new base backup')
    case 'away':
      return warning('host', `${host} ${message}`, 'start it, or leave it out of DATABASE_URL')
    case 'foreign':
      return problem('host', `${host} ${message}`, 'leave it out of DATABASE_URL, or make it a standby of the primary')
  }
}

const reportNoPrimary = (states: readonly HostState[]): Finding => {
  const names = states.map(({ host }) => host).join(', ')
  const one = states.length === 1 && states[0]?.role === 'standby' ? `${names} is a standby` : undefined
  return problem('database', one ?? `none of ${names} is a primary`, 'start the primary, or promote a standby')
}

/** @returns the host to examine further, and one finding for each of several hosts */
export const lookAtHosts = async (
  parsed: DatabaseUrl,
): Promise<{ readonly primary: Host | undefined; readonly findings: Finding[] }> => {
  const connect = ({ url }: Host, lost: () => void) =>
    new SQL({ url, max: 1, connectionTimeout: TIMEOUT_S, onclose: lost })
  const hosts = createHosts({ ...parsed, connect })
  try {
    await hosts.ready
    const states = hosts.states()
    const primary = hosts.primary()
    const findings = states.length > 1 ? states.map(toFinding) : []
    return { primary, findings: primary ? findings : [reportNoPrimary(states), ...findings] }
  } finally {
    await hosts.close()
  }
}
