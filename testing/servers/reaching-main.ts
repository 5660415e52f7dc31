/** The server of `plat serve`, except that its webhooks reach receivers on loopback and nothing else. */
import { serve } from '../../src/app/server.ts'
import { outboundToReceivers } from '../receiver.ts'

await serve({}, { outbound: outboundToReceivers() })
process.exit()
