/** Other words for fields, as they stand in people's files: English, German and French, without marks and blanks. Browser-safe. */

const list = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The surer a word, the earlier it stands. A field with the ending `_id` has its words without it. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  id: list('uuid deviceid'),
  name: list('label title bezeichnung nom'),
  hostname: list('host fqdn dnsname dns hote nomdhote nomdns'),
  description: list(
    'comment comments desc descriptionpurpose remark remarks note notes beschreibung bemerkung bemerkungen kommentar notiz notizen hinweis anmerkung commentaire commentaires remarque remarques',
  ),
  make_model: list(
    'model hardwaremodel modell modele hardware devicetype producttype product type typ gerattyp geratetyp',
  ),
  serial: list('serialnumber serialno serialnr sn snr seriennummer seriennr numerodeserie noserie servicetag'),
  asset_tag: list(
    'assettag assetnumber assetno assetid inventorynumber inventoryno inventarnummer inventarnr inventoryid numeroinventaire',
  ),
  role: list('devicerole function funktion rolle fonction'),
  os: list('operatingsystem osname system platform betriebssystem systemedexploitation'),
  status: list('state zustand etat statut'),
  datacenter: list('dc site sitename datacentre rechenzentrum centrededonnees'),
  space: list('vrf vrfname addressspace adressraum'),
  username: list('user login benutzer benutzername utilisateur'),
  location: list(
    'place rack room address locationdesc locationname devicelocation standort ort raum gebaude schrank emplacement lieu salle baie building',
  ),
  tags: list('tag labels schlagworte etiquettes'),
  addresses: list(
    'address ip ips ipaddress ipaddresses ipaddr ipadress ipv4 ipv4address primaryip primaryip4 primaryipv4 managementip mgmtip mgmtaddress ' +
      'managementaddress hostip ipv4addressprefix ipadresse ipadressen ipv4adresse adresse adresseip adressesip adresseipv4 ipv6 ipv6address ' +
      'primaryip6 primaryipv6 ipv6addressprefix ipv6adresse adresseipv6 loopbackip loopback ' +
      'primaryipaddress serviceip internalip externalip privateip publicip lanip nodeip serverip deviceip switchip mgmt management host hosts ' +
      'devices servers switches routers value',
  ),
  domains: list('domain'),
  subnet: list(
    'cidr prefix network range networkaddress ipnetwork ipnet ipnetz ipsubnet ipprefix ipsubnetmask cidrblock ipv4cidr subnetcidr netz netzwerk ' +
      'subnetz netzadresse sousreseau prefixe reseau plage subnets networks prefixes cidrs lansubnet value',
  ),
  mask: list(
    'netmask subnetmask ipmask networkmask masklength prefixlength maske netzmaske subnetzmaske subnetmaske masque masquereseau ' +
      'masquedesousreseau masquesousreseau prefix cidr',
  ),
  vlan: list('vid vlanid vlannumber vlannr vlannummer vlantag lanvlan number nummer numero idvlan numerovlan'),
  network: list('subnet netzwerk netz reseau'),
  start_ip: list('start first from startaddress firstaddress von debut anfang'),
  end_ip: list('end last to endaddress lastaddress bis fin ende'),
  ip_address: list('ip address ipaddress ipadresse adresse adresseip'),
  mac_address: list(
    'mac macaddr hwaddress hwaddr hardwareaddress ethernet physicaladdress ethernetaddress macadresse adressemac adressephysique hardwareadresse nic',
  ),
  dns_name: list('dns dnsentry nomdns dnseintrag'),
  interface: list('interfacename iface ifname nic schnittstelle interfacereseau nominterface ethx'),
  switch_port: list('switchport switchinterface uplink uplinkport connectedto portswitch portduswitch port anschluss'),
  purpose: list('reason for zweck verwendung verwendungszweck raison'),
  notes: list('note comment comments description beschreibung bemerkung kommentar commentaire remarque'),
  expires_at: list('expires expiry until ablauf gultigbis expiration'),
  parent: list('from deviceid device source'),
  child: list('to target'),
  make: list('manufacturer vendor brand hersteller fabricant constructeur marque'),
  manufacturer: list('vendor make brand hersteller fabricant constructeur marque'),
  model: list('modell modele type devicetype'),
  part_number: list('partno artikelnummer reference'),
  height: list('uheight heightu hohe hauteur'),
  device: list('host hostname switch devicename gerat appareil equipement'),
}

/** Words for fields of one resource, which come after the words above. */
const WORDS_BY_RESOURCE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  devices: {
    name: list(
      'device devicename devicehost devicelabel switch switchname router routername server servername machine machinename computer computername ' +
        'node nodename vm vmname asset assetname equipment system gerat geratename geratname rechner rechnername appareil nomappareil equipement ' +
        'serveur nomserveur nommachine nomdelappareil nomduserveur poste esxihost devices hosts servers switches routers',
    ),
    description: list('descriptionpurpose purpose usage verwendung verwendungszweck'),
  },
  networks: {
    name: list(
      'networkname subnetname vlanname lanname resourcename netzname netzwerkname nomreseau nomdureseau netz reseau network',
    ),
  },
  vlans: { name: list('vlanname vlanbezeichnung nomvlan nomduvlan') },
  ports: { name: list('port portname interface interfacename ifname schnittstelle') },
  racks: { name: list('rack rackname schrank baie') },
  datacenters: {
    name: list('site sitename datacenter datacentre dc rechenzentrum standort'),
    location: list('city region country stadt ville land pays'),
  },
}

const SUFFIX = /_id$/
const MARKS = /[\u0300-\u036f]/g

/** @example normalizeWord('Gerät (Name)') // 'geratname' */
export const normalizeWord = (text: string): string =>
  text
    .normalize('NFD')
    .replace(MARKS, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** Ranks of words of one resource only. */
const OWN_WORDS = 100

/**
 * Returns how surely a column holds a field, by the normalized name of the column: 0 is its own name, undefined is not at all.
 * @param resource the plural noun
 */
export const rankWord = (resource: string, field: string, column: string): number | undefined => {
  const base = field.replace(SUFFIX, '')
  if (normalizeWord(field) === column) return 0
  if (normalizeWord(base) === column) return 1
  const at = WORDS[base]?.indexOf(column) ?? -1
  if (at >= 0) return 2 + at
  const own = WORDS_BY_RESOURCE[resource]?.[base]?.indexOf(column) ?? -1
  return own >= 0 ? OWN_WORDS + own : undefined
}
