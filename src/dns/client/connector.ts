/**
 * Opens connections to DNS servers: to validated addresses only. The rules of other outgoing requests apply. In addition, the addresses
 * of DNS_SERVERS are allowed.
 */

import {
  checkHost,
  createListedTargetRules,
  OutboundError,
  resolveAddresses,
  type TargetRules,
} from '../../base/security/outbound-target.ts'
import type { Cidr } from '../../net/cidr.ts'
import { isHostname } from '../../net/dns-name.ts'
import { parseIp } from '../../net/ip.ts'
import { DnsError } from './dns-error.ts'
import type { DnsAddress, DnsConnect, DnsConnection } from './stream.ts'

export type DnsConnector = {
  /** Returns the error of a host to be saved; undefined for a valid one, and for a name that does not resolve yet. */
  readonly problem: (host: string) => Promise<string | undefined>
  /** Validates each address of the host, and connects to the first that accepts. */
  readonly connect: DnsConnect
}

export type DnsConnectorOptions = {
  /** The rules of other outgoing requests. */
  readonly rules: TargetRules
  /** The value of DNS_SERVERS. */
  readonly servers: readonly Cidr[]
}

const open = async ({ host, port }: DnsAddress, signal: AbortSignal): Promise<DnsConnection> => {
  // Loaded by the first request, because loading it takes long.
  const { connect } = await import('node:net')
  signal.throwIfAborted()
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    const abort = () => socket.destroy(new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    // It stays: an error between two reads has no other listener, and the next read reports it.
    socket.on('error', reject).once('connect', () => {
      signal.removeEventListener('abort', abort)
      resolve(socket)
    })
  })
}

export const createDnsConnector = ({ rules, servers }: DnsConnectorOptions): DnsConnector => {
  const own: TargetRules = {
    ...createListedTargetRules(rules, { listed: servers, exceptions: 'DNS_SERVERS' }),
    resolve: async (name) => {
      try {
        return await rules.resolve(name)
      } catch (error) {
        throw new DnsError('no_connection', `${name} does not resolve`, { cause: error })
      }
    },
  }
  const withoutLastDot = (host: string): string => host.replace(/\.$/, '')
  const isHost = (host: string): boolean => parseIp(host) !== undefined || isHostname(withoutLastDot(host))

  const validated = async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
    try {
      return await resolveAddresses(own, withoutLastDot(host), signal)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (error.cause instanceof DnsError) throw error.cause
      throw new DnsError('blocked', error.message, { cause: error })
    }
  }

  return {
    problem: async (host) =>
      isHost(host) ? await checkHost(own, withoutLastDot(host)) : 'must be an IP address or a host name',
    connect: async ({ host, port }, signal) => {
      if (!isHost(host)) throw new DnsError('blocked', `${host.slice(0, 64)} is no IP address or host name`)
      let failure: unknown
      for (const address of await validated(host, signal))
        try {
          return await open({ host: address, port }, signal)
        } catch (error) {
          signal.throwIfAborted()
          failure = error
        }
      throw failure
    },
  }
}
