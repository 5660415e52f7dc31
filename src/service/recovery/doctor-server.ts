/** Asks the server that answers at the listen address if it is ready: some faults are known only to it. */
import { formatAddress, type ListenAddress } from '../../surfaces/http/listen-address.ts'
import { Readiness } from '../system/api.ts'
import { type Finding, problem } from './finding.ts'

const ANSWER_MS = 5000

/** Returns the origin of a server that listens there. */
export const getOrigin = ({ hostname, port }: ListenAddress): string => {
  const isAny = hostname === undefined || hostname === '0.0.0.0' || hostname === '::'
  return `http://${isAny ? 'localhost' : formatAddress({ hostname, port: 0 }).replace(/:0$/, '')}:${port}`
}

const fetchReadiness = async (address: ListenAddress): Promise<Readiness | undefined> => {
  try {
    const options = { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' } as const
    return Readiness.parse(await (await fetch(`${getOrigin(address)}/readyz`, options)).json())
  } catch {
    // Nothing answers there, or another program: the check of the listen address reports it.
    return undefined
  }
}

/** Returns a problem for each check of `/readyz` that fails; none if the server is ready, or none answers. */
export const checkServer = async (address: ListenAddress): Promise<Finding[]> => {
  const readiness = address.port === 0 ? undefined : await fetchReadiness(address)
  return Object.entries(readiness?.checks ?? {}).flatMap(([name, check]) =>
    check?.status === 'unhealthy'
      ? [
          problem(
            'server',
            `${formatAddress(address)} is not ready (${name}): ${check.message}`,
            'put right what the message names; the log of the server has the error',
          ),
        ]
      : [],
  )
}
