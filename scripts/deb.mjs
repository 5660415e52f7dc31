// Owns the Debian package: the places of its files, and its metadata. Uses only dpkg-deb.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { binaryPath } from './binary.mjs'
import { bunPath, fail, root } from './install.mjs'

const architectures = { x64: 'amd64', arm64: 'arm64' }

/** The glibc version that the runtime needs. */
const depends = 'libc6 (>= 2.17), adduser, init-system-helpers (>= 1.52)'

const description = [
  'land registry of a network',
  ' Plat knows the datacenters, networks, IP pools and devices of a network, what',
  ' is connected to what, and which address is free. It is one program: the server',
  ' with its web page, REST and MCP interfaces, the command line, and a scanner',
  ' that compares what is documented with what is there. Its data are one file, or',
  ' in PostgreSQL.',
]

/** @returns the path of the package */
export function buildDeb({ target, revision, isQuick }) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const full = `${version}-${revision}`
  const architecture = architectures[target?.split('-')[1] ?? process.arch]
  const file = join(root, 'dist', `plat_${full}_${architecture}.deb`)
  const stage = mkdtempSync(join(tmpdir(), 'plat-deb-'))
  try {
    chmodSync(stage, 0o755)
    putFiles(stage, { target, full })
    const kilobytes = Math.ceil(treeOf(stage).reduce((sum, path) => sum + statSync(join(stage, path)).size, 0) / 1024)
    putControl(stage, { full, architecture, kilobytes })
    const compression = isQuick ? ['-Zgzip', '-z1'] : ['-Zxz', '-z6']
    const { status } = spawnSync('dpkg-deb', [...compression, '--root-owner-group', '--build', stage, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // The content of a package must not depend on the clock.
      env: { ...process.env, SOURCE_DATE_EPOCH: String(lastChange()) },
    })
    if (status !== 0) fail('dpkg-deb could not make the package.')
    return file
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function putFiles(stage, { target, full }) {
  const put = (path, content, mode = 0o644) => {
    const to = join(stage, path)
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
    writeFileSync(to, content)
    chmodSync(to, mode)
  }
  const packaging = (path) => readFileSync(join(root, 'packaging', path))
  mkdirSync(join(stage, 'usr', 'bin'), { recursive: true })
  copyFileSync(binaryPath(target), join(stage, 'usr', 'bin', 'plat'))
  chmodSync(join(stage, 'usr', 'bin', 'plat'), 0o755)
  put('etc/plat/plat.env', packaging('debian/plat.env'))
  put('etc/plat/scanner.env', packaging('debian/scanner.env'))
  put('lib/systemd/system/plat.service', packaging('systemd/plat.service'))
  put('lib/systemd/system/plat-scanner.service', packaging('systemd/plat-scanner.service'))
  put('usr/share/man/man1/plat.1.gz', gzipSync(said('manual'), { level: 9 }))
  put('usr/share/bash-completion/completions/plat', said('completion', 'bash'))
  put('usr/share/zsh/vendor-completions/_plat', said('completion', 'zsh'))
  put('usr/share/fish/vendor_completions.d/plat.fish', said('completion', 'fish'))
  const documents = 'usr/share/doc/plat'
  put(`${documents}/copyright`, packaging('debian/copyright'))
  put(`${documents}/changelog.Debian.gz`, gzipSync(changelog(full), { level: 9 }))
  put(`${documents}/examples/90-plat-ping.conf`, packaging('systemd/90-plat-ping.conf'))
  put(`${documents}/examples/arp.conf`, packaging('systemd/arp.conf'))
  put('usr/share/lintian/overrides/plat', packaging('debian/lintian-overrides'))
}

function putControl(stage, { full, architecture, kilobytes }) {
  const control = [
    'Package: plat',
    `Version: ${full}`,
    `Architecture: ${architecture}`,
    'Maintainer: The Plat authors <maintainers@plat.invalid>',
    `Installed-Size: ${kilobytes}`,
    `Depends: ${depends}`,
    'Section: net',
    'Priority: optional',
    `Description: ${description.join('\n')}`,
    '',
  ].join('\n')
  const sums = treeOf(stage)
    .filter((path) => !path.startsWith('etc/'))
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(stage, path)))
          .digest('hex')}  ${path}\n`,
    )
  const folder = join(stage, 'DEBIAN')
  mkdirSync(folder, { mode: 0o755 })
  writeFileSync(join(folder, 'control'), control)
  writeFileSync(join(folder, 'md5sums'), sums.join(''))
  writeFileSync(join(folder, 'conffiles'), '/etc/plat/plat.env\n/etc/plat/scanner.env\n')
  for (const name of ['postinst', 'prerm', 'postrm']) {
    copyFileSync(join(root, 'packaging', 'debian', name), join(folder, name))
    chmodSync(join(folder, name), 0o755)
  }
  for (const name of ['control', 'md5sums', 'conffiles']) chmodSync(join(folder, name), 0o644)
}

/** Returns the files without folders, sorted. */
function treeOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
}

/**
 * Returns the output of the program. It runs from these sources, because the executable of another machine does not
 * run here.
 */
function said(...words) {
  const { status, stdout, stderr } = spawnSync(bunPath(), ['--no-env-file', 'src/main.ts', ...words], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) fail(`plat ${words.join(' ')}: ${stderr}`)
  return stdout
}

/** Returns the time of the last commit in seconds. Without a checkout, returns the time of a file instead. */
function lastChange() {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? Number(stdout) : Math.floor(statSync(join(root, 'package.json')).mtimeMs / 1000)
}

function changelog(full) {
  const date = new Date(lastChange() * 1000).toUTCString().replace('GMT', '+0000')
  return [
    `plat (${full}) unstable; urgency=medium`,
    '',
    '  * Made from the sources of this version.',
    '',
    ` -- The Plat authors <maintainers@plat.invalid>  ${date}`,
    '',
  ].join('\n')
}
