/** `plat scanner run`: a scanner on this machine. Its code is loaded when it runs. */
import { type Command, createFlag } from '../../surfaces/cli/parse/command.ts'

export const scannerCommands: readonly Command[] = [
  {
    words: ['scanner', 'run'],
    summary: 'Run a scanner on this machine: it takes scans from a server over HTTPS, and sends what it finds',
    description:
      'The first start redeems the token that the page of the scanner shows, or plat scanner create; later starts need none. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honored. Exit code 3: the server refuses it for good; 6: --check found no server.',
    spec: () => ({
      args: [],
      flags: [
        createFlag('url', 'URL of the server; PLAT_SCANNER_URL, or as at the enrolment', { hint: 'URL' }),
        createFlag('token', 'Enrolment token; PLAT_SCANNER_TOKEN, or in the file of PLAT_SCANNER_TOKEN_FILE', {
          hint: 'TOKEN',
        }),
        createFlag(
          'state',
          'Folder of its credential and its reports; PLAT_SCANNER_STATE; default /var/lib/plat-scanner, or yours',
          {
            hint: 'DIR',
          },
        ),
        createFlag('slots', 'Scans at once, 1-8; PLAT_SCANNER_SLOTS; default 2', { hint: 'NUMBER' }),
        createFlag('ca', 'Certificates of authorities that the server is trusted by, as PEM', { hint: 'FILE' }),
        createFlag(
          'allow-http',
          'Permit http:// to another machine, where its token is readable on the way; PLAT_SCANNER_ALLOW_HTTP',
        ),
        createFlag('spool-limit', 'Most bytes of reports that wait for the server; default 64MiB', { hint: 'SIZE' }),
        createFlag('check', 'Ask the server once, and show what this scanner may do'),
      ],
    }),
    run: async (session, texts) => (await import('./command.ts')).runScanner(session, texts),
  },
]
