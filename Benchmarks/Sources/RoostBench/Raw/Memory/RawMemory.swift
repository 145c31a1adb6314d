// SPDX-License-Identifier: Apache-2.0

/// Plain structures in memory: objects in an array, a dictionary by ID, and one list for each value of what is indexed.
///
/// It is what a program does that needs no framework, so it is no store either: nothing is durable, and nothing is
/// undone.
final class RawMemory: RawDatabase {
  private var persons: [PlainPerson] = []
  private var byID: [Int64: PlainPerson] = [:]
  private var departments: [String] = []
  private var members: [[PlainPerson]] = []
  private var byAge: [[PlainPerson]] = []

  func clear() {
    persons = []
    byID = [:]
    departments = []
    members = []
    byAge = [[PlainPerson]](repeating: [], count: 90)
  }

  func close() {}

  func insert(_ samples: [Sample], firstID: Int, departments: [String]) {
    if !departments.isEmpty {
      self.departments = departments
      members = [[PlainPerson]](repeating: [], count: departments.count)
    }
    for (index, sample) in samples.enumerated() { insert(sample, id: firstID + index) }
  }

  private func insert(_ sample: Sample, id: Int) {
    let person = PlainPerson(id: Int64(id), sample)
    persons.append(person)
    byID[person.id] = person
    members[sample.department].append(person)
    byAge[Int(sample.age)].append(person)
  }

  func readAll() -> Checksum {
    var sum = Checksum()
    for person in persons { sum.add(person) }
    return sum
  }

  func keepAll() -> PlainPeople {
    var people = PlainPeople()
    for person in persons { people.keep(person.copy()) }
    return people
  }

  func lookUp(_ ids: [Int]) -> Checksum {
    var sum = Checksum()
    for id in ids { if let person = byID[Int64(id)] { sum.add(person) } }
    return sum
  }

  func query(_ data: SampleData) -> Checksum {
    var sum = Checksum()
    for index in 0..<data.extent.queries {
      let (low, high) = data.ages(ofQuery: index)
      var found: [PlainPerson] = []
      for age in low...high {
        for person in byAge[age] where person.active { found.append(person) }
      }
      found.sort { $0.score > $1.score }
      for (place, person) in found.prefix(100).enumerated() {
        sum.add(person)
        sum.add(person.score, place: place)
      }
    }
    return sum
  }

  func change(_ data: SampleData) {
    for index in 0..<data.extent.changes {
      persons[index].score = Sample.score(index, generation: 1)
    }
  }

  func followPrefetched() -> Checksum {
    var sum = Checksum()
    for person in persons { sum.add(departments[Int(person.department) - 1]) }
    return sum
  }

  func follow() -> Checksum { followPrefetched() }

  func sumByDepartment() -> Checksum {
    var sum = Checksum()
    for members in members {
      var ages = 0
      for person in members { ages += Int(person.age) }
      sum.add(members.count)
      sum.add(ages)
    }
    return sum
  }

  func delete(_ data: SampleData) {
    let gone = Set(persons.prefix(data.extent.changes).map(\.id))
    for id in gone { byID[id] = nil }
    persons.removeFirst(gone.count)
    for index in members.indices { members[index].removeAll { gone.contains($0.id) } }
    for index in byAge.indices { byAge[index].removeAll { gone.contains($0.id) } }
  }

  func average() -> Checksum {
    var sums = [(sum: Double, count: Int)](repeating: (0, 0), count: departments.count)
    for person in persons {
      sums[Int(person.department) - 1].sum += person.score
      sums[Int(person.department) - 1].count += 1
    }
    var sum = Checksum()
    for entry in sums where entry.count > 0 { sum.add(average: entry.sum / Double(entry.count)) }
    return sum
  }

  func saveOneByOne(_ data: SampleData) {
    for index in 0..<data.extent.saves {
      insert(data.latecomer(index), id: data.extent.objects + index + 1)
    }
  }
}
