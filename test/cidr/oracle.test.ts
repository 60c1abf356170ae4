import fc from "fast-check";
import { Address4, Address6 } from "ip-address";
import { describe, expect, it } from "vitest";
import type { Cidr, Family } from "../../src/cidr/cidr.js";
import { contains, lastAddress, overlaps, prefixAround, widthOf } from "../../src/cidr/cidr.js";
import { formatAddress, formatCidr } from "../../src/cidr/format.js";
import { parseAddress, parseCidr, readStoredCidr } from "../../src/cidr/parse.js";

// ip-address is the oracle: 100,000 random values of each kind.
const RUNS = { numRuns: 100_000 };

const ipv4 = fc.nat({ max: 0xffffffff }).map(BigInt);

/** Many zero groups, so that every place and length of `::` comes up; v4-mapped ones are refused by intent. */
const ipv6 = fc
  .array(fc.oneof(fc.constant(0), fc.constant(0), fc.nat({ max: 0xffff })), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n))
  .filter((value) => value >> 32n !== 0xffffn);

const spelling6 = fc.constantFrom<(address: Address6) => string>(
  (address) => address.correctForm(),
  (address) => address.canonicalForm(),
  (address) => address.canonicalForm().toUpperCase(),
  (address) => address.to4in6(),
);

function cidrOf(family: Family, value: fc.Arbitrary<bigint>): fc.Arbitrary<Cidr> {
  return fc
    .tuple(value, fc.nat({ max: widthOf(family) }))
    .map(([address, length]) => prefixAround({ family, value: address }, length));
}

/** A second prefix that shares the first one's high bits up to a random place, so that containment is common. */
function neighbours(family: Family, value: fc.Arbitrary<bigint>): fc.Arbitrary<[Cidr, Cidr]> {
  const width = widthOf(family);
  const length = fc.nat({ max: width });
  return fc.tuple(value, value, length, length, length).map(([a, noise, shared, lengthA, lengthB]) => {
    const b = a ^ (noise >> BigInt(shared));
    return [prefixAround({ family, value: a }, lengthA), prefixAround({ family, value: b }, lengthB)];
  });
}

describe("100,000 random values agree with ip-address", () => {
  it("IPv4 addresses", () => {
    fc.assert(
      fc.property(ipv4, (value) => {
        const text = formatAddress(4, value);
        return (
          text === Address4.fromBigInt(value).correctForm() &&
          parseAddress(text).value === new Address4(text).bigInt()
        );
      }),
      RUNS,
    );
  });

  it("IPv6 addresses, in any spelling", () => {
    fc.assert(
      fc.property(ipv6, spelling6, (value, spell) => {
        const oracle = Address6.fromBigInt(value);
        const read = parseAddress(spell(oracle));
        return read.family === 6 && read.value === value && formatAddress(6, value) === oracle.correctForm();
      }),
      RUNS,
    );
  });

  it("IPv4 prefixes: text, first and last address", () => {
    fc.assert(
      fc.property(cidrOf(4, ipv4), (cidr) => {
        const text = formatCidr(cidr);
        const oracle = new Address4(text);
        const read = parseCidr(text);
        return (
          read.base === oracle.startAddress().bigInt() &&
          read.length === oracle.subnetMask &&
          lastAddress(read) === oracle.endAddress().bigInt() &&
          readStoredCidr(text)?.canonical === true
        );
      }),
      RUNS,
    );
  });

  it("IPv6 prefixes: text, first and last address", () => {
    fc.assert(
      fc.property(
        cidrOf(6, ipv6).filter((cidr) => cidr.base >> 32n !== 0xffffn),
        (cidr) => {
          const text = formatCidr(cidr);
          const oracle = new Address6(text);
          const read = parseCidr(text);
          return (
            read.base === oracle.startAddress().bigInt() &&
            read.length === oracle.subnetMask &&
            lastAddress(read) === oracle.endAddress().bigInt() &&
            readStoredCidr(text)?.canonical === true
          );
        },
      ),
      RUNS,
    );
  });

  it("IPv4 prefixes: contains and overlaps", () => {
    fc.assert(
      fc.property(neighbours(4, ipv4), ([a, b]) => {
        const oracleA = new Address4(formatCidr(a));
        const oracleB = new Address4(formatCidr(b));
        const [aInB, bInA] = [oracleA.isInSubnet(oracleB), oracleB.isInSubnet(oracleA)];
        return contains(a, b) === bInA && contains(b, a) === aInB && overlaps(a, b) === (aInB || bInA);
      }),
      RUNS,
    );
  });

  it("IPv6 prefixes: contains and overlaps", () => {
    fc.assert(
      fc.property(neighbours(6, ipv6), ([a, b]) => {
        const oracleA = new Address6(formatCidr(a));
        const oracleB = new Address6(formatCidr(b));
        const [aInB, bInA] = [oracleA.isInSubnet(oracleB), oracleB.isInSubnet(oracleA)];
        return contains(a, b) === bInA && contains(b, a) === aInB && overlaps(a, b) === (aInB || bInA);
      }),
      RUNS,
    );
  });

  it("has neighbours of all three kinds", () => {
    const kinds = fc
      .sample(neighbours(6, ipv6), { numRuns: 1000, seed: 1 })
      .map(([a, b]) => [contains(a, b), contains(b, a)].join());
    expect(new Set(kinds)).toEqual(new Set(["true,true", "true,false", "false,true", "false,false"]));
  });
});
