/** A receiver of webhooks on loopback, and the client that may reach it. Every other address stays blocked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutbound, type Outbound } from '../src/base/security/outbound.ts'
import { createTargetRules, type TargetRules } from '../src/base/security/outbound-target.ts'

export const HOST = '127.0.0.5'
const rules: TargetRules = { ...createTargetRules(false), reach: (ip) => (ip === HOST ? 'public' : 'blocked') }

/** Reaches receivers only. */
export const outboundToReceivers = (): Outbound => createOutbound({ rules })

export type Received = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly atMs: number
}

export type Receiver = {
  readonly url: (path?: string) => string
  readonly received: Received[]
  /** Sets the answer of a path from now on: a status, or a function. */
  readonly answer: (path: string, how: number | ((response: ServerResponse) => void)) => void
  readonly outbound: Outbound
  readonly close: () => Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = []
  const answers = new Map<string, number | ((response: ServerResponse) => void)>()
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() })
    const how = answers.get(path) ?? 200
    if (typeof how === 'number') response.writeHead(how).end(`this is ${how}`)
    else how(response)
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: (path = '/') => `http://${HOST}:${port}${path}`,
    received,
    answer: (path, how) => answers.set(path, how),
    outbound: outboundToReceivers(),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
