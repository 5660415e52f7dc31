/**
 * The server as `plat serve` starts it, but that nothing leaves it: a scan ends at once and finds nothing, no name is resolved, and
 * every outgoing request is refused. A tool that generates requests may call every operation of it.
 */
import type { DnsConnector } from '../platform/dns/connector.ts'
import { createOutbound } from '../platform/security/outbound.ts'
import type { startScan } from '../scanner/process.ts'
import type { Privilege } from '../scanner/protocol.ts'
import { serve } from '../server.ts'

const PRIVILEGE: Privilege = { icmp: false, arp: false, neighbours: false, advice: 'This scanner sends no packets' }

const scanNothing: typeof startScan = (_plan, onReport) => ({
  cancel: () => {},
  ended: onReport({ type: 'ready', privilege: PRIVILEGE }).then(() => ({ result: 'done', message: '' })),
  pid: process.pid,
})

const outbound = createOutbound({
  rules: {
    allowsPrivate: false,
    resolve: async () => {
      throw new Error('this server resolves no names')
    },
    reach: () => 'blocked',
  },
})

const dns: DnsConnector = {
  problem: async () => undefined,
  connect: async () => {
    throw new Error('this server sends nothing')
  },
}

/** Takes the issuer of any provider, and reaches none. */
const providerOutbound = { ...outbound, problem: async () => undefined }

await serve({}, { startScan: scanNothing, outbound, providerOutbound, dns })
process.exit()
