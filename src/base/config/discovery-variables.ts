// Declares the settings of discovery, which are part of VARIABLES.

import {
  createDurationParser,
  createIntegerParser,
  list,
  parseAddressOrCidr,
  parseBoolean,
  parsePorts,
  parseText,
} from './values.ts'

const days = createIntegerParser(1, 36_500)

export const DISCOVERY_VARIABLES = {
  discoveryMaxConcurrent: {
    name: 'DISCOVERY_MAX_CONCURRENT',
    default: '2',
    parse: createIntegerParser(1, 64),
    help: 'Scans that run at the same time',
  },
  discoverySnmpv2cEnabled: {
    name: 'DISCOVERY_SNMPV2C_ENABLED',
    default: 'false',
    parse: parseBoolean,
    help: 'Let scans use SNMPv2c, which sends its community in the clear',
  },
  discoveryTimeoutMs: {
    name: 'DISCOVERY_TIMEOUT',
    default: '1s',
    parse: createDurationParser('5m'),
    help: 'How long a probe waits for its answer; the probe of a service waits 1.5 times as long, at least 1.5 s',
  },
  discoveryRatePerSecond: {
    name: 'DISCOVERY_RATE',
    default: '2000',
    parse: createIntegerParser(1, 1_000_000),
    help: 'Most probes a second',
  },
  discoveryCleanupDays: {
    name: 'DISCOVERY_CLEANUP_DAYS',
    default: '30',
    parse: days,
    help: 'Days that discovered devices are kept unless they are documented',
  },
  discoveryRandomMacCleanupDays: {
    name: 'DISCOVERY_RANDOM_MAC_CLEANUP_DAYS',
    default: '7',
    parse: days,
    help: 'The same for those with a random MAC address, as phones have; never longer than DISCOVERY_CLEANUP_DAYS',
  },
  presenceRetentionDays: {
    name: 'PRESENCE_RETENTION_DAYS',
    default: '365',
    parse: createIntegerParser(0, 36_500),
    help: 'Days for which Plat keeps who was at which address; 0 for as long as the network',
  },
  discoveryAllowedSubnets: {
    name: 'DISCOVERY_ALLOWED_SUBNETS',
    default: '',
    parse: list(parseAddressOrCidr),
    help: 'The only networks that may be scanned, as CIDRs, comma-separated; without it all of them',
  },
  discoveryAllowLocal: {
    name: 'DISCOVERY_ALLOW_LOCAL',
    default: 'false',
    parse: parseBoolean,
    help: 'Let scans probe loopback, link-local and unspecified addresses: services that listen on this machine only; in dev mode true unless set',
  },
  discoveryPorts: {
    name: 'DISCOVERY_PORTS',
    default: '',
    parse: parsePorts,
    help: 'TCP ports that full and deep scans try, like 22,80,8000-8100; without it a list of about 100',
  },
  scannerOfflineAfterMs: {
    name: 'SCANNER_OFFLINE_AFTER',
    default: '1m',
    parse: createDurationParser('1h', '5s'),
    help: 'A scanner that has sent nothing for so long is offline; 5s to 1h',
  },
  discoveryFingerprintsDir: {
    name: 'DISCOVERY_FINGERPRINTS_DIR',
    default: '',
    parse: parseText,
    help: 'Folder of fingerprints in the recog format (XML) that deep scans use besides their own',
  },
} as const
