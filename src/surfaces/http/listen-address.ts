/** Tries a listen address before anything is opened: a start that must fail creates no user and migrates nothing. */
import type { Config } from '../../base/config/config.ts'

export type ListenAddress = Config['listenAddr']

/** @example formatAddress({ hostname: '::1', port: 8080 }) // '[::1]:8080' */
export const formatAddress = ({ hostname = '', port }: ListenAddress): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`

/** Listens for a moment. @throws the error of the system, such as EADDRINUSE */
export const tryListening = async ({ hostname, port }: ListenAddress): Promise<void> => {
  // Loaded here, because commands that do not listen start faster without it.
  const { createServer } = await import('node:net')
  await new Promise<void>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, ...(hostname === undefined ? {} : { host: hostname }) }, () => server.close(() => resolve()))
  })
}

/** The listen address belongs to another process. */
export class AddressInUseError extends Error {
  override readonly name = 'AddressInUseError'

  constructor(address: ListenAddress, options?: ErrorOptions) {
    super(
      `The address ${formatAddress(address)} is in use. Stop the program that listens there (ss -ltnp 'sport = :${address.port}' names it), or set LISTEN_ADDR to another address.`,
      options,
    )
  }
}

/** Returns an AddressInUseError for the error of an address in use, and any other error unchanged. */
export const toListenError = (error: unknown, address: ListenAddress): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new AddressInUseError(address, { cause: error })
    : error
