/** A link that hosts join while a listener is on it, in two network namespaces. Needs root and `ip`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { until } from '../until.ts'
import { type As, PRIVILEGES, run } from './lab.ts'

export const SUBNET = '198.18.7.0/24'
export const OWN = '198.18.7.1'
export const getIp = (host: number): string => `198.18.7.${host}`
export const getMac = (host: number): string => `00:1b:21:00:07:${host.toString(16).padStart(2, '0')}`
/** The interface of a host, in the namespace of the hosts. */
export const getLink = (host: number): string => `m${host}`

type Child = { readonly lines: readonly string[]; readonly kill: () => void }

export type JoinLab = {
  readonly listener: string
  readonly hosts: string
  readonly exec: (namespace: string, command: readonly string[], input?: string) => string
  /** Brings an interface up. @param address the address of the host, if it does not ask for one */
  readonly join: (host: number, address?: string) => void
  readonly leave: (host: number) => void
  /** Says by ARP that the host has its address, as `arping -A` does. */
  readonly announce: (host: number, address?: string) => void
  /** Starts a script of this repository beside the listener, and collects the lines of its output. */
  readonly start: (script: string, input: string, as?: As) => Child
  /** Starts a program on the side of the hosts, or beside the listener. It runs until the lab is removed. */
  readonly run: (namespace: string, command: readonly string[]) => void
  readonly remove: () => void
}

export const createJoinLab = (name = 'join'): JoinLab => {
  const [listener, hosts] = [`plat-${name}-a-${process.pid}`, `plat-${name}-b-${process.pid}`]
  const started = new Set<{ kill: (signal: 'SIGKILL') => void }>()
  const exec: JoinLab['exec'] = (namespace, command, input) =>
    run(['ip', 'netns', 'exec', namespace, ...command], input)
  const remove = (): void => {
    for (const one of started) one.kill('SIGKILL')
    for (const one of [listener, hosts]) {
      // Programs of the lab start others, which would outlive it.
      for (const pid of spawnSync('ip', ['netns', 'pids', one], { encoding: 'utf8' }).stdout.split('\n'))
        if (pid !== '') spawnSync('kill', ['-KILL', pid])
      spawnSync('ip', ['netns', 'delete', one])
    }
  }
  try {
    for (const one of [listener, hosts]) run(['ip', 'netns', 'add', one])
    run(['ip', 'link', 'add', 'va', 'netns', listener, 'type', 'veth', 'peer', 'name', 'vb', 'netns', hosts])
    const addresses = `addr add ${OWN}/24 dev va\naddr add 2001:db8:7::1/112 dev va nodad\n`
    run(['ip', '-n', listener, '-batch', '-'], `link set lo up\n${addresses}link set va up\n`)
    // A port of the bridge forwards at once.
    const bridge = 'link add br0 type bridge forward_delay 0\nlink set vb master br0\n'
    run(['ip', '-n', hosts, '-batch', '-'], `link set lo up\n${bridge}link set vb up\nlink set br0 up\n`)
  } catch (error) {
    remove()
    throw error
  }
  return {
    listener,
    hosts,
    exec,
    remove,
    join: (host, address) => {
      const link = getLink(host)
      const lines = [
        `link add ${link} link br0 address ${getMac(host)} type macvlan mode bridge`,
        ...(address === undefined ? [] : [`addr add ${address}/${address.includes(':') ? 112 : 24} dev ${link}`]),
        `link set ${link} up`,
      ]
      run(['ip', '-n', hosts, '-batch', '-'], `${lines.join('\n')}\n`)
    },
    leave: (host) => {
      run(['ip', '-n', hosts, 'link', 'delete', getLink(host)])
    },
    announce: (host, address = getIp(host)) => {
      exec(hosts, ['busybox', 'arping', '-A', '-c', '1', '-I', getLink(host), address])
    },
    start: (script, input, as = 'raw') => {
      const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...PRIVILEGES[as]]
      const command = [process.execPath, '--no-env-file', join(import.meta.dirname, '..', '..', script)]
      const child = Bun.spawn(['ip', 'netns', 'exec', listener, ...user, ...command], {
        stdin: new Blob([input]),
        stdout: 'pipe',
        stderr: 'inherit',
        env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TMPDIR: '/tmp', NODE_ENV: 'test' },
      })
      started.add(child)
      const lines: string[] = []
      const read = async (): Promise<void> => {
        let rest = ''
        const decoder = new TextDecoder()
        for await (const piece of child.stdout) {
          const parts = (rest + decoder.decode(piece, { stream: true })).split('\n')
          rest = parts.pop() ?? ''
          lines.push(...parts)
        }
      }
      // It ends with the process.
      void read().catch(() => {})
      return {
        lines,
        kill: () => {
          started.delete(child)
          child.kill('SIGKILL')
        },
      }
    },
    run: (namespace, command) => {
      started.add(
        Bun.spawn(['ip', 'netns', 'exec', namespace, ...command], {
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: 'ignore',
        }),
      )
    },
  }
}

/** Waits until one of the lines of a child satisfies a condition. */
export const findLine = <T>(what: string, { lines }: Child, read: (line: string) => T | undefined): Promise<T> =>
  until(
    what,
    () => {
      for (const line of lines) {
        const value = read(line)
        if (value !== undefined) return value
      }
      return undefined
    },
    60_000,
  )
