/** The sandbox of a systemd unit: its settings, and the system calls that it lets through. */
import { mustRun } from '../trial.ts'

/** Returns the words of a setting, of all its lines. */
export const readSettings = (unit: string, name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(' '))

/** Returns the system calls of a set of systemd, including nested sets. */
const listCalls = async (set: string): Promise<string[]> => {
  const text = await mustRun(['systemd-analyze', 'syscall-filter', set])
  const names = text.split('\n').flatMap((line) => /^ +([@\w-]+)$/.exec(line)?.[1] ?? [])
  const deep = await Promise.all(names.map((name) => (name.startsWith('@') ? listCalls(name) : [name])))
  return deep.flat()
}

export const listFilteredCalls = async (unit: string): Promise<Set<string>> => {
  const sets = readSettings(unit, 'SystemCallFilter')
  const [allowed, denied] = await Promise.all([
    Promise.all(sets.filter((set) => set.startsWith('@')).map(listCalls)),
    Promise.all(sets.filter((set) => set.startsWith('~')).map((set) => listCalls(set.slice(1)))),
  ])
  const refused = new Set(denied.flat())
  return new Set(allowed.flat().filter((name) => !refused.has(name)))
}
