const PARTS = /(\d+)/;

/** Orders names as a person does: node-2 before node-10; equal numbers with more zeros come later. */
export function compareNaturally(left: string, right: string): number {
  const leftParts = left.split(PARTS);
  const rightParts = right.split(PARTS);
  for (const [index, leftPart] of leftParts.entries()) {
    const rightPart = rightParts[index];
    if (rightPart === undefined) return 1;
    const order = comparePart(leftPart, rightPart, index % 2 === 1);
    if (order !== 0) return order;
  }
  return (
    leftParts.length - rightParts.length || left.length - right.length || comparePart(left, right, false)
  );
}

function comparePart(left: string, right: string, numeric: boolean): number {
  if (numeric) {
    const difference = BigInt(left) - BigInt(right);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    return 0;
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
