/**
 * The server as `plat serve` starts it, but that nothing leaves it: a scan ends at once and finds nothing, no name is resolved, and
 * every outgoing request is refused. A tool that generates requests may call every operation of it.
 */
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

await serve({}, { startScan: scanNothing, outbound })
process.exit()
