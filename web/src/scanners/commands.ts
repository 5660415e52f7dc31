/** The commands that start a scanner, to copy unchanged. Pure functions. */

export type Way = 'shell' | 'systemd' | 'docker'

export const WAYS: readonly (readonly [Way, string])[] = [
  ['shell', 'Shell'],
  ['systemd', 'systemd'],
  ['docker', 'Docker'],
]

export type Step = { readonly text: string; readonly code: string; readonly label: string }

type Given = {
  /** This server, as the scanner reaches it. */
  readonly url: string
  readonly token: string
  readonly way: Way
}

/** Returns the address without a slash at its end; undefined for a text that is none. */
export const parseUrl = (text: string): string | undefined => {
  const url = text.trim().replace(/\/+$/, '')
  // No space and no character of a shell.
  return /^https?:\/\/[\w.:[\]-]+(\/[\w./~-]*)?$/.test(url) && URL.canParse(url) ? url : undefined
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export const isLoopback = (url: string): boolean => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname)

/** A scanner sends over HTTP to another machine only if it is permitted. */
const needsAllowHttp = (url: string): boolean => url.startsWith('http:') && !isLoopback(url)

const ALLOW_HTTP = 'PLAT_SCANNER_ALLOW_HTTP=true'

export const listSteps = ({ url, token, way }: Given): readonly Step[] => {
  const isPlain = needsAllowHttp(url)
  switch (way) {
    case 'shell':
      return [
        {
          text: 'Run the executable of Plat there. As root, or with the capability CAP_NET_RAW, it finds more.',
          code: `plat scanner run --url ${url} --token ${token}${isPlain ? ' --allow-http' : ''}`,
          label: 'the command',
        },
      ]
    case 'systemd':
      return [
        {
          text: 'Install the Debian package of Plat there, which has the service, and write its settings:',
          code: [
            'sudo install -D -m 600 /dev/stdin /etc/plat/scanner.env <<END',
            `PLAT_SCANNER_URL=${url}`,
            `PLAT_SCANNER_TOKEN=${token}`,
            ...(isPlain ? [ALLOW_HTTP] : []),
            'END',
          ].join('\n'),
          label: 'the settings',
        },
        {
          text: 'Start it, now and with the machine. The package has started a server too, which ends:',
          code: 'sudo systemctl disable --now plat\nsudo systemctl enable --now plat-scanner',
          label: 'the commands',
        },
      ]
    case 'docker':
      return [
        {
          text: 'The image is that of the server. In the network of its host it scans the networks of the host:',
          code: [
            'docker run --detach --name plat-scanner --restart unless-stopped \\',
            '  --network host --read-only --no-healthcheck \\',
            '  --user 0:0 --cap-drop ALL --cap-add NET_RAW \\',
            '  --volume plat-scanner:/var/lib/plat-scanner \\',
            `  --env PLAT_SCANNER_URL=${url} \\`,
            `  --env PLAT_SCANNER_TOKEN=${token} \\`,
            ...(isPlain ? [`  --env ${ALLOW_HTTP} \\`] : []),
            '  plat scanner run',
          ].join('\n'),
          label: 'the command',
        },
      ]
  }
}
