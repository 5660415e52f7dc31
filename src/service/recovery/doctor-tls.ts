/** Warns of hosts of PostgreSQL that are reached over a network without TLS. */
import type { DatabaseUrl } from '../../base/hosts/database-url.ts'
import { type Finding, warning } from './finding.ts'

/** Addresses of this machine. */
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\]|\[::ffff:127(\.\d+){3}\]):\d+$/i
const ADVICE = 'add sslmode=verify-full to DATABASE_URL, or sslmode=require, which checks no certificate'

/** @returns nothing if all hosts are this machine, or TLS is demanded */
export const checkTls = ({ hosts, tls: { mode = 'disable' } }: Pick<DatabaseUrl, 'hosts' | 'tls'>): Finding[] => {
  const remote = hosts.filter(({ name }) => !LOCAL.test(name)).map(({ name }) => name)
  if (remote.length === 0 || (mode !== 'disable' && mode !== 'prefer')) return []
  const message =
    mode === 'disable'
      ? 'without TLS: the network between sees the data and may change them'
      : 'with TLS only if it offers it: a network between may take it away'
  return [warning('tls', `${remote.join(', ')} is reached ${message}`, ADVICE)]
}
