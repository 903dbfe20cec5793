# java: Math.random
command -v java >/dev/null || exit 77
echo "class A { public static void main(String[] a) { System.out.println(Math.random()); } }" >A.java
java A.java
