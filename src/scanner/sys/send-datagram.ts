/**
 * Sends datagrams over a socket that many hosts share. Bun sets `IP_RECVERR` (ip(7)): the ICMP error of one host then fails the next
 * send of the socket, whatever its destination, and that datagram does not leave. The failure clears the error.
 */
import type { Socket } from 'node:dgram'

/** Another error may arrive between two sends. */
const MAX_SENDS = 8

export type Datagram = {
  readonly message: Uint8Array
  readonly port: number
  readonly address: string
}

type Done = (error: Error | null, bytes: number) => void

/** @param done called once, with the error of the last send if all of them failed */
export const sendDatagram = (socket: Pick<Socket, 'send'>, datagram: Datagram, done: Done = () => {}): void => {
  const { message, port, address } = datagram
  const send = (sends: number): void =>
    socket.send(message, port, address, (error, bytes) => {
      if (!error || sends === MAX_SENDS) return done(error, bytes)
      try {
        send(sends + 1)
      } catch {
        // The socket was closed in between.
        done(error, bytes)
      }
    })
  send(1)
}
