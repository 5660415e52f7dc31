// ARP packets that repeat a packet of the same second are not read.
import { expect, test } from 'bun:test'
import { readRecorded } from '../testing/recorded.ts'
import { createRepeatFilter } from './repeats.ts'

type Recorded = { readonly by: string; readonly frame: string }
const frames = new Map(readRecorded<Recorded>('frames.jsonl').map(({ by, frame }) => [by, frame]))
const read = (by: string): Buffer => Buffer.from(frames.get(by) ?? '', 'hex')

test('a packet with the same address and MAC in one second is a repeat, and other packets are not', () => {
  const isRepeat = createRepeatFilter()
  const reply = read('busybox arping -A')
  const request = read('Linux, ARP request')
  const otherMac = Buffer.from(reply)
  otherMac[27] = 0x99
  const invalid = Buffer.from(reply)
  invalid[18] = 8
  invalid[31] = 0x42
  const valid = Buffer.from(reply)
  valid[31] = 0x42
  const dhcp = read('busybox udhcpc, request')
  const answers = [reply, request, otherMac, reply, invalid, valid, dhcp, dhcp].map((one) =>
    isRepeat(one, one.length, 0),
  )
  expect(answers).toEqual([false, true, false, false, false, false, false, false])
  expect([isRepeat(valid, 41, 1), isRepeat(valid, 42, 999), isRepeat(valid, 42, 1000)]).toEqual([false, true, false])
})
