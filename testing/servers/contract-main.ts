/**
 * The server as `plat serve` starts it, but that nothing leaves it: a scan ends at once and finds nothing, no name is resolved, and
 * every outgoing request is refused. A tool that generates requests may call every operation of it.
 */

import { serve } from '../../src/app/server.ts'
import { createOutbound } from '../../src/base/security/outbound.ts'
import type { DnsConnector } from '../../src/dns/client/connector.ts'
import type { startScan } from '../../src/scanner/process.ts'
import type { Privilege } from '../../src/scanner/protocol.ts'

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
