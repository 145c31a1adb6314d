// SPDX-License-Identifier: Apache-2.0

/// Arranges boxes in columns so that most lines are short and few cross each other.
///
/// The steps are the usual ones for graphs in layers: give lines a direction without cycles, assign columns, put
/// points where a line passes a column, order each column by the neighbours of its boxes, and move boxes towards them.
struct LayeredLayout {
  /// A box, or a point where a line passes a column.
  struct Node {
    /// The index of the box; nil for a point.
    var box: Int?
    var column: Int
    var width: Double
    var height: Double
    var x = 0.0
    var y = 0.0

    var middle: Double { y + height / 2 }
  }

  /// A line and the nodes that it passes from left to right, its ends included.
  struct Route {
    /// The index of the line in the graph.
    var line: Int
    var nodes: [Int]
    /// Whether it begins at the line's destination.
    var isReversed: Bool
  }

  private(set) var nodes: [Node]
  private(set) var routes: [Route] = []
  /// The nodes of each column from top to bottom.
  private var columns: [[Int]] = []
  private static let gap = 28.0
  private static let columnGap = 90.0

  /// - Parameters:
  ///   - sizes: The width and height of each box.
  ///   - lines: The boxes at both ends of each line: the first one is better to the left.
  init(sizes: [(width: Double, height: Double)], lines: [(left: Int, right: Int)]) {
    nodes = sizes.enumerated().map {
      Node(box: $0, column: 0, width: $1.width, height: $1.height)
    }
    let directed = Self.withoutCycles(lines, count: sizes.count)
    assignColumns(directed.map { ($0.left, $0.right) })
    for (index, line) in directed.enumerated() where line.left != line.right {
      routes.append(route(index, line))
    }
    columns = Array(repeating: [], count: (nodes.map(\.column).max() ?? -1) + 1)
    for index in nodes.indices { columns[nodes[index].column].append(index) }
    order()
    place()
  }

  /// The size of everything.
  var size: (width: Double, height: Double) {
    (
      nodes.map { $0.x + $0.width }.max() ?? 0,
      nodes.map { $0.y + $0.height }.max() ?? 0
    )
  }

  // MARK: Directions and columns

  /// Turns the lines around that would close a cycle.
  private static func withoutCycles(
    _ lines: [(left: Int, right: Int)], count: Int
  ) -> [(left: Int, right: Int, isReversed: Bool)] {
    var outgoing = [[Int]](repeating: [], count: count)
    for (index, line) in lines.enumerated() { outgoing[line.left].append(index) }
    var result = lines.map { (left: $0.left, right: $0.right, isReversed: false) }
    // 0: not seen, 1: on the path, 2: done.
    var states = [Int](repeating: 0, count: count)
    for start in 0..<count where states[start] == 0 {
      var path: [(box: Int, next: Int)] = [(start, 0)]
      states[start] = 1
      while let (box, next) = path.last {
        guard next < outgoing[box].count else {
          states[box] = 2
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let index = outgoing[box][next]
        let target = lines[index].right
        if states[target] == 1, target != box {
          result[index] = (target, box, true)
        } else if states[target] == 0 {
          states[target] = 1
          path.append((target, 0))
        }
      }
    }
    return result
  }

  private mutating func assignColumns(_ lines: [(left: Int, right: Int)]) {
    var waiting = [Int](repeating: 0, count: nodes.count)
    var outgoing = [[Int]](repeating: [], count: nodes.count)
    var degree = [Int](repeating: 0, count: nodes.count)
    for (left, right) in lines where left != right {
      waiting[right] += 1
      outgoing[left].append(right)
      degree[left] += 1
      degree[right] += 1
    }
    let area = nodes.reduce(0) { $0 + ($1.width + Self.columnGap) * ($1.height + Self.gap) }
    // About as high as wide, and never lower than the highest box.
    let limit = max(area.squareRoot(), nodes.map(\.height).max() ?? 0)
    var heights: [Double] = []
    var ready = nodes.indices.filter { waiting[$0] == 0 }
    while !ready.isEmpty {
      // Boxes without lines come last: they fill the gaps.
      ready.sort { (degree[$0] == 0 ? 1 : 0, $0) < (degree[$1] == 0 ? 1 : 0, $1) }
      let box = ready.removeFirst()
      let height = nodes[box].height + Self.gap
      var column = nodes[box].column
      while column < heights.count, heights[column] > 0, heights[column] + height > limit {
        column += 1
      }
      while heights.count <= column { heights.append(0) }
      heights[column] += height
      nodes[box].column = column
      for right in outgoing[box] {
        nodes[right].column = max(nodes[right].column, column + 1)
        waiting[right] -= 1
        if waiting[right] == 0 { ready.append(right) }
      }
    }
  }

  private mutating func route(
    _ index: Int, _ line: (left: Int, right: Int, isReversed: Bool)
  ) -> Route {
    var passed = [line.left]
    var column = nodes[line.left].column + 1
    while column < nodes[line.right].column {
      passed.append(nodes.count)
      nodes.append(Node(box: nil, column: column, width: 0, height: 0))
      column += 1
    }
    return Route(line: index, nodes: passed + [line.right], isReversed: line.isReversed)
  }

  // MARK: Order and places

  /// The neighbours of each node to its left and to its right.
  private var neighbours: (left: [[Int]], right: [[Int]]) {
    var left = [[Int]](repeating: [], count: nodes.count)
    var right = left
    for route in routes {
      for (first, second) in zip(route.nodes, route.nodes.dropFirst()) {
        right[first].append(second)
        left[second].append(first)
      }
    }
    return (left, right)
  }

  private mutating func order() {
    let (left, right) = neighbours
    var places = [Double](repeating: 0, count: nodes.count)
    func note(_ column: [Int]) {
      for (place, node) in column.enumerated() { places[node] = Double(place) }
    }
    for column in columns { note(column) }
    for round in 0..<12 {
      let isForward = round.isMultiple(of: 2)
      let order = isForward ? Array(columns.indices) : columns.indices.reversed()
      for index in order {
        let near = isForward ? left : right
        let weights = columns[index].map { node -> Double in
          let others = near[node]
          guard !others.isEmpty else { return places[node] }
          return others.reduce(0) { $0 + places[$1] } / Double(others.count)
        }
        let sorted = zip(columns[index], weights).enumerated().sorted {
          ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
        }
        columns[index] = sorted.map(\.element.0)
        note(columns[index])
      }
    }
  }

  private mutating func place() {
    var x = 0.0
    for column in columns {
      let width = column.map { nodes[$0].width }.max() ?? 0
      var y = 0.0
      for node in column {
        nodes[node].x = x
        if nodes[node].box == nil { nodes[node].width = width }
        nodes[node].y = y
        y += nodes[node].height + Self.gap
      }
      x += width + Self.columnGap
    }
    let (left, right) = neighbours
    for round in 0..<16 {
      let order = round.isMultiple(of: 2) ? Array(columns.indices) : columns.indices.reversed()
      for index in order { settle(columns[index], left, right) }
    }
    let top = nodes.map(\.y).min() ?? 0
    for index in nodes.indices { nodes[index].y -= top }
  }

  /// Moves the nodes of a column towards their neighbours, and keeps their order and distance.
  private mutating func settle(_ column: [Int], _ left: [[Int]], _ right: [[Int]]) {
    let wanted = column.map { node -> Double in
      let others = left[node] + right[node]
      guard !others.isEmpty else { return nodes[node].y }
      let middle = others.reduce(0) { $0 + nodes[$1].middle } / Double(others.count)
      return middle - nodes[node].height / 2
    }
    var y = -Double.infinity
    for (node, place) in zip(column, wanted) {
      nodes[node].y = max(place, y)
      y = nodes[node].y + nodes[node].height + Self.gap
    }
    let shift = zip(column, wanted).reduce(0) { $0 + $1.1 - nodes[$1.0].y } / Double(column.count)
    for node in column { nodes[node].y += shift }
  }
}
