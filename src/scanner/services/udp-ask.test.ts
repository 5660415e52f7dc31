// Questions by UDP to many hosts over one socket, most of which refuse them by ICMP.
import { afterEach, describe, expect, test } from 'bun:test'
import { createSocket, type Socket } from 'node:dgram'
import type { SnmpLogin } from '../protocol.ts'
import type { ScanContext } from '../scan-context.ts'
import { buildCommunityQuestion } from '../snmp/agent-question.ts'
import { findAgents } from '../snmp/find-agents.ts'
import { createPacer } from '../sweeps/pacer.ts'
import { openTargets } from '../targets.ts'
import { buildPlan } from '../testing/plans.ts'
import { askByUdp } from './udp-ask.ts'

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.close()
})

type Heard = { readonly ip: string; readonly message: Buffer }

/** Listens on one port of each address, and records what arrives. */
const listeners = async (ips: readonly string[]): Promise<{ port: number; heard: Heard[] }> => {
  const heard: Heard[] = []
  let port = 0
  for (const ip of ips) {
    const socket = createSocket('udp4')
    open.push(socket)
    await new Promise<void>((resolve) => socket.bind(port, ip, resolve))
    port = socket.address().port
    socket.on('message', (message, from) => {
      heard.push({ ip, message })
      socket.send(message, from.port, from.address)
    })
  }
  return { port, heard }
}

const targets = openTargets('127.0.0.0/26', [])
const all = Array.from({ length: 62 }, (_, i) => i + 1)
const textsOf = (indexes: readonly number[]): string[] => indexes.map(targets.formatAddress)
/** Each of them follows an address that refuses the question. */
const listening = all.filter((index) => index % 2 === 0)
/** All of them leave in one turn of the event loop. */
const pacer = () => createPacer(1_000_000)
const signal = new AbortController().signal
const addresses = (heard: readonly Heard[]): string[] => [...new Set(heard.map(({ ip }) => ip))].sort()

test('each question is sent, also after one to a host that refuses it', async () => {
  const { port, heard } = await listeners(textsOf(listening))
  const answered: number[] = []
  await askByUdp({
    ...{ targets, port, hosts: all, tries: 1, waitMs: 200, pacer: pacer(), signal },
    questionFor: (index) => Buffer.from([index]),
    onAnswer: (index, message) => {
      answered.push(index)
      return message[0] === index
    },
    onSent: () => {},
  })
  expect(addresses(heard)).toEqual(textsOf(listening).sort())
  expect(answered.sort((a, b) => a - b)).toEqual(listening)
  // None arrives twice.
  expect(heard).toHaveLength(listening.length)
})

describe('a community', () => {
  const SECRET = 'for-one-device'
  /** Returns the addresses at which the community arrived. */
  const receivers = async (logins: readonly Pick<SnmpLogin, 'ip'>[], hosts = all): Promise<string[]> => {
    const { port, heard } = await listeners(textsOf(listening))
    const snmp = logins.map(({ ip }) => ({ version: 'v2c', credentialId: 'one', community: SECRET, ip }) as const)
    const plan = buildPlan({ subnet: '127.0.0.0/26', type: 'deep', snmp })
    // The parts of the context that the search uses.
    const context = { plan, targets, signal, reporter: { probed: () => {} } } as unknown as ScanContext
    await findAgents(context, { hosts, pacer: pacer(), port }).finish
    return addresses(heard.filter(({ message }) => message.includes(SECRET)))
  }

  test('of a network is sent to every host, and its question is the one that agents know', async () => {
    expect(await receivers([{ ip: '' }])).toEqual(textsOf(listening).sort())
    expect(buildCommunityQuestion(1, SECRET).includes(SECRET)).toBe(true)
  })

  test('of a device is sent to the addresses of the device only', async () => {
    expect(await receivers([{ ip: '127.0.0.2' }, { ip: '127.0.0.8' }])).toEqual(['127.0.0.2', '127.0.0.8'])
  })

  test('of a device is sent to no host of a scan without its addresses', async () => {
    expect(await receivers([{ ip: '10.0.0.1' }])).toEqual([])
  })
})
