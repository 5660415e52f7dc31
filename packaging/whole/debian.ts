/** A minimal Debian in a folder, made once and copied. Needs root and debootstrap. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun, ROOT, tempFolder } from '../trial.ts'

const RELEASE = 'bookworm'
const base = join(ROOT, '.cache', `debian-${RELEASE}`)

/** Returns the package mirror of this machine. */
const mirror = async (): Promise<string> => {
  const out = await mustRun(['apt-get', 'indextargets', '--format', '$(REPO_URI) $(CODENAME)', 'Created-By: Packages'])
  const found = out.split('\n').find((line) => line.endsWith(` ${RELEASE}`))
  if (found === undefined) throw new Error(`this machine has no source of packages of ${RELEASE}`)
  return found.split(' ')[0] ?? ''
}

const makeBase = async (): Promise<void> => {
  const fresh = `${base}.${process.pid}`
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  try {
    await mustRun(['debootstrap', '--variant=minbase', RELEASE, fresh, await mirror()], {
      env: { ...process.env } as Record<string, string>,
    })
    renameSync(fresh, base)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

export type Debian = {
  readonly path: string
  /**
   * Runs a command line in it, as root or as another user. The command sees a word that is added as `$0`, and nothing of this
   * environment.
   */
  readonly command: (line: string, user?: string) => string[]
  readonly remove: () => void
}

export const debian = async (): Promise<Debian> => {
  if (!existsSync(base)) await makeBase()
  const { path, remove } = tempFolder()
  await mustRun(['cp', '-a', `${base}/.`, path])
  return {
    path,
    command: (line, user = 'root') => [
      ...['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root'],
      ...['DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8'],
      ...['unshare', '--mount', 'sh', '-c'],
      'mount --rbind /proc "$1/proc"; mount --rbind /dev "$1/dev"; exec chroot --userspec="$2" "$1" sh -c "$3" "$4"',
      ...['sh', path, user === 'root' ? 'root:root' : `${user}:${user}`, line],
    ],
    remove,
  }
}
